// Winnow in every shape of filter and with other RocksDB features, many of which are newer than
// 7.0: a table of configurations.
// The database of each must find all its keys, and skip absent ones by Winnow's filters.

#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <ostream>
#include <string>

#include "src/rocksdb/counters.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

#if WINNOW_ROCKSDB_AT_LEAST(7, 6)
#include <rocksdb/wide_columns.h>
#endif

namespace winnow::plugin {
namespace newer_rocksdb_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::Key;
using testing::kPrefixBytes;
using testing::MakeOptions;
using testing::MakePolicyFrom;
using testing::Model;
using testing::OpenDatabase;
using testing::TemporaryFolder;

constexpr uint64_t kKeys = 6000;

// Options that a configuration changes.
struct Layout {
  Options options;
  BlockBasedTableOptions table;
  bool has_timestamps = false;
  bool has_entities = false;
};

// What a configuration combines.
enum Feature : unsigned {
  kPartitions = 1u << 0,
  kDecoupled = 1u << 1,
  kKeysAndPrefixes = 1u << 2,
  kPrefixes = 1u << 3,
  kReverseOrder = 1u << 4,
  kTimestamps = 1u << 5,
  kTimestampsInMemory = 1u << 6,
  kWideColumns = 1u << 7,
  kParallelCompression = 1u << 8,
  kBoundedFiles = 1u << 9,
  kNoneOnTheLastLevel = 1u << 10,
  kVerified = 1u << 11,
  kMemoryMapped = 1u << 12,
};

// Features that not every version of RocksDB has.
struct NewFeature {
  Feature feature;
  bool is_there;
  const char* why;
};
constexpr NewFeature kNewFeatures[] = {
    {kDecoupled, WINNOW_ROCKSDB_AT_LEAST(9, 6),
     "decouple_partitioned_filters came with RocksDB 9.6"},
    {kTimestamps, WINNOW_ROCKSDB_AT_LEAST(8, 6),
     "comparators with timestamps are public from RocksDB 8.6 on"},
    // RocksDB 8.11's flush with `wait` does not return, with any policy: it retains the timestamps
    // until full_history_ts_low advances.
    {kTimestampsInMemory, WINNOW_ROCKSDB_AT_LEAST(9, 10),
     "a flush of timestamps that are kept in memory only need not end before RocksDB 9.10"},
    {kWideColumns, WINNOW_ROCKSDB_AT_LEAST(7, 6), "reading wide columns came with RocksDB 7.6"},
    {kBoundedFiles, WINNOW_ROCKSDB_AT_LEAST(10, 9),
     "target_file_size_is_upper_bound came with RocksDB 10.9"},
};

struct Configuration {
  const char* name;
  unsigned features;
  uint32_t format_version = 0;  // 0: RocksDB's default
  const char* policy = "winnow:10";

  bool Has(unsigned feature) const { return (features & feature) != 0; }
};

std::ostream& operator<<(std::ostream& out, const Configuration& one) { return out << one.name; }

constexpr char kAllRibbon[] = "{id=winnow;ribbon_min_keys=0;bloom_before_level=-1}";
constexpr char kAllBloom[] = "{id=winnow:12.5;ribbon_min_keys=18446744073709551615}";

const Configuration kConfigurations[] = {
    {"format_version_5", 0, 5},
    {"format_version_6", 0, 6},
    {"format_version_7", 0, 7},
    {"format_version_7_partitions", kPartitions, 7},
    {"ribbon_verified", kVerified, 5, kAllRibbon},
    {"bloom_memory_mapped", kMemoryMapped, 5, kAllBloom},
    {"partitions_decoupled", kPartitions | kDecoupled},
    {"partitions_coupled", kPartitions},
    {"partitions_decoupled_verified", kPartitions | kDecoupled | kVerified},
    {"partitions_ribbon_memory_mapped_verified", kPartitions | kMemoryMapped | kVerified, 5,
     kAllRibbon},
    {"keys_and_prefixes", kKeysAndPrefixes},
    {"keys_and_prefixes_memory_mapped_verified", kKeysAndPrefixes | kMemoryMapped | kVerified},
    {"prefixes", kPrefixes},
    {"partitions_keys_and_prefixes", kPartitions | kKeysAndPrefixes},
    {"partitions_prefixes", kPartitions | kPrefixes},
    {"partitions_prefixes_ribbon_verified", kPartitions | kPrefixes | kVerified, 5, kAllRibbon},
    {"partitions_decoupled_keys_and_prefixes", kPartitions | kDecoupled | kKeysAndPrefixes},
    {"partitions_decoupled_prefixes", kPartitions | kDecoupled | kPrefixes},
    {"reverse_order_keys_and_prefixes", kReverseOrder | kKeysAndPrefixes},
    {"timestamps", kTimestamps},
    {"timestamps_in_memory_only", kTimestampsInMemory},
    {"timestamps_partitions_keys_and_prefixes", kTimestamps | kPartitions | kKeysAndPrefixes},
    {"timestamps_in_memory_only_partitions", kTimestampsInMemory | kPartitions | kDecoupled},
    {"wide_columns", kWideColumns},
    {"wide_columns_partitions", kWideColumns | kPartitions},
    {"parallel_compression", kParallelCompression},
    {"parallel_compression_keys_and_prefixes", kParallelCompression | kKeysAndPrefixes},
    {"parallel_compression_partitions", kParallelCompression | kPartitions},
    {"files_of_bounded_size", kBoundedFiles},
    {"files_of_bounded_size_partitions", kBoundedFiles | kPartitions},
    {"no_filters_in_the_last_level", kNoneOnTheLastLevel},
};

Layout LayoutOf(const Configuration& configuration) {
  Layout layout;
  BlockBasedTableOptions& table = layout.table;
  table.filter_policy = MakePolicyFrom(configuration.policy);
  if (configuration.format_version != 0) table.format_version = configuration.format_version;
  table.whole_key_filtering = !configuration.Has(kPrefixes);
  table.detect_filter_construct_corruption = configuration.Has(kVerified);
  if (configuration.Has(kPartitions)) {
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    table.metadata_block_size = 512;
    table.cache_index_and_filter_blocks = true;
  }
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
  table.decouple_partitioned_filters = configuration.Has(kDecoupled);
#endif
  Options& options = layout.options;
  options = MakeOptions(table);
  options.allow_mmap_reads = configuration.Has(kMemoryMapped);
  options.optimize_filters_for_hits = configuration.Has(kNoneOnTheLastLevel);
  if (configuration.Has(kPrefixes | kKeysAndPrefixes)) {
    options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(kPrefixBytes));
  }
  if (configuration.Has(kReverseOrder)) {
    options.comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
  }
  if (configuration.Has(kParallelCompression)) {
    options.compression = ROCKSDB_NAMESPACE::kLZ4Compression;
    options.compression_opts.parallel_threads = 4;
  }
  if (configuration.Has(kBoundedFiles)) options.target_file_size_base = 32 << 10;
#if WINNOW_ROCKSDB_AT_LEAST(10, 9)
  options.target_file_size_is_upper_bound = configuration.Has(kBoundedFiles);
#endif
  layout.has_entities = configuration.Has(kWideColumns);
  layout.has_timestamps = configuration.Has(kTimestamps | kTimestampsInMemory);
#if WINNOW_ROCKSDB_AT_LEAST(8, 6)
  if (layout.has_timestamps) {
    options.comparator = ROCKSDB_NAMESPACE::BytewiseComparatorWithU64Ts();
    options.persist_user_defined_timestamps = configuration.Has(kTimestamps);
    options.allow_concurrent_memtable_write = configuration.Has(kTimestamps);
  }
#endif
  if (!layout.has_entities && !layout.has_timestamps) {
    EXPECT_TRUE(ROCKSDB_NAMESPACE::MergeOperator::CreateFromString(
                    testing::StrictConfig(), "stringappend", &options.merge_operator)
                    .ok());
  }
  return layout;
}

// Encodes a timestamp for RocksDB's BytewiseComparatorWithU64Ts.
std::string Timestamp(uint64_t time) {
  std::string text;
  for (int shift = 0; shift < 64; shift += 8) {
    text.push_back(static_cast<char>(time >> shift));
  }
  return text;
}

// Database of a configuration, and its expected content.
class Store {
 public:
  Store(const Layout& layout, const std::string& path)
      : layout_(layout), database_(OpenDatabase(layout.options, path)) {
    if (layout_.has_timestamps) {
      read_.timestamp = &newest_;
    }
  }

  bool is_open() const { return database_ != nullptr; }

  // Reopens the database, so that all reads are from files.
  void Reopen(const Layout& layout, const std::string& path) {
    database_.reset();
    layout_ = layout;
    database_ = OpenDatabase(layout.options, path);
  }

  // Writes four flushes, with deleted and overwritten keys, merge operands and a snapshot, and
  // compacts the first three. Every third prefix is absent.
  void Fill() {
    const ROCKSDB_NAMESPACE::Snapshot* snapshot = nullptr;
    for (uint64_t round = 0; round < 4; ++round) {
      for (uint64_t i = 0; i < kKeys; ++i) {
        if (i / 10 % 3 != 0 && (i + round) % 2 == 0) {
          ASSERT_STATUS_OK(Put(i, "value " + std::to_string(i + round)));
        }
        if (i % 11 == round) {
          ASSERT_STATUS_OK(Delete(i));
        }
        if (i % 7 == round && layout_.options.merge_operator != nullptr) {
          ASSERT_STATUS_OK(database_->Merge(WriteOptions(), Key(i + kKeys), "+"));
          ASSERT_STATUS_OK(database_->Merge(WriteOptions(), Key(i + kKeys), "-"));
          model_[Key(i + kKeys)] = "+,-";
        }
      }
      if (round == 0) snapshot = database_->GetSnapshot();
      ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
      if (round == 2) {
        ASSERT_STATUS_OK(database_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
      }
      ++time_;
    }
    database_->ReleaseSnapshot(snapshot);
  }

  void ExpectAllKeys() {
    ASSERT_NO_FATAL_FAILURE(testing::ExpectAllKeys(*database_, model_, 2 * kKeys, read_));
#if WINNOW_ROCKSDB_AT_LEAST(7, 6)
    for (auto one = model_.begin(); layout_.has_entities && one != model_.end(); ++one) {
      ROCKSDB_NAMESPACE::PinnableWideColumns columns;
      ASSERT_STATUS_OK(
          database_->GetEntity(read_, database_->DefaultColumnFamily(), one->first, &columns));
      ASSERT_EQ(columns.columns().size(), 2u) << one->first;
    }
#endif
  }

  void ExpectAllKeysInBatches() {
    testing::ExpectAllKeysInBatches(*database_, model_, 2 * kKeys, read_);
  }

  void ExpectAllByIterator() {
    ReadOptions options = read_;
    options.total_order_seek = true;
    const std::unique_ptr<Iterator> at(database_->NewIterator(options));
    Model found;
    for (at->SeekToFirst(); at->Valid(); at->Next()) {
      found[at->key().ToString()] = at->value().ToString();
    }
    ASSERT_STATUS_OK(at->status());
    ASSERT_EQ(found, model_);
  }

  void ExpectAllPrefixes() {
    const bool is_reverse =
        layout_.options.comparator == ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
    ReadOptions options = read_;
    options.prefix_same_as_start = true;
    for (uint64_t i = 0; i < 2 * kKeys; i += 10) {
      const std::string prefix = Key(i).substr(0, kPrefixBytes);
      const auto has_prefix = [&prefix](const std::string& key) {
        return key.compare(0, kPrefixBytes, prefix) == 0;
      };
      Model expected;
      for (auto one = model_.lower_bound(prefix); one != model_.end() && has_prefix(one->first);
           ++one) {
        expected.insert(*one);
      }
      Model found;
      const std::unique_ptr<Iterator> at(database_->NewIterator(options));
      for (at->Seek(is_reverse ? prefix + "-~" : prefix); at->Valid(); at->Next()) {
        found[at->key().ToString()] = at->value().ToString();
      }
      ASSERT_STATUS_OK(at->status());
      ASSERT_EQ(found, expected) << prefix;
    }
  }

 private:
  Status Put(uint64_t i, const std::string& value) {
    model_[Key(i)] = value;
    auto* const family = database_->DefaultColumnFamily();
    if (layout_.has_timestamps) {
      return database_->Put(WriteOptions(), family, Key(i), Timestamp(time_), value);
    }
#if WINNOW_ROCKSDB_AT_LEAST(7, 6)
    if (layout_.has_entities) {
      const ROCKSDB_NAMESPACE::WideColumns columns{
          {ROCKSDB_NAMESPACE::kDefaultWideColumnName, value}, {"a", "b"}};
      return database_->PutEntity(WriteOptions(), family, Key(i), columns);
    }
#endif
    return database_->Put(WriteOptions(), Key(i), value);
  }

  Status Delete(uint64_t i) {
    model_.erase(Key(i));
    return layout_.has_timestamps
               ? database_->Delete(WriteOptions(), database_->DefaultColumnFamily(), Key(i),
                                   Timestamp(time_))
               : database_->Delete(WriteOptions(), Key(i));
  }

  Layout layout_;
  std::unique_ptr<DB> database_;
  Model model_;
  uint64_t time_ = 1;
  const std::string newest_text_ = Timestamp(std::numeric_limits<uint64_t>::max());
  const Slice newest_ = newest_text_;
  ReadOptions read_;
};

// Returns the number of reads that whole-key and prefix filters avoided.
uint64_t Useful(const Options& options) {
  uint64_t sum = options.statistics->getAndResetTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL);
  for (const auto ticker : rocksdb_abi::kPrefixUseful) {
    sum += options.statistics->getAndResetTickerCount(ticker);
  }
  return sum;
}

class NewerRocksDBTest : public ::testing::TestWithParam<Configuration> {
 protected:
  NewerRocksDBTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  TemporaryFolder folder_;
};

TEST_P(NewerRocksDBTest, FindsEveryKeyAndSkipsOthers) {
  for (const NewFeature& one : kNewFeatures) {
    if (GetParam().Has(one.feature) && !one.is_there) GTEST_SKIP() << one.why;
  }
  Layout layout = LayoutOf(GetParam());
  if (const Status status =
          layout.options.table_factory->ValidateOptions(layout.options, layout.options);
      !status.ok()) {
    // RocksDB may only refuse a format_version.
    ASSERT_GT(GetParam().format_version, 5u) << status.ToString();
    GTEST_SKIP() << "RocksDB " << ROCKSDB_MAJOR << "." << ROCKSDB_MINOR << ": "
                 << status.ToString();
  }
  const std::string path = folder_ / "database";
  const Counters before = CurrentCounters();
  Store store(layout, path);
  ASSERT_TRUE(store.is_open());
  ASSERT_NO_FATAL_FAILURE(store.Fill());
  const Counters built = CurrentCounters();
  const bool has_partitions = layout.table.partition_filters;
  EXPECT_GT(built.bloom_filters + built.ribbon_filters,
            before.bloom_filters + before.ribbon_filters + (has_partitions ? 8 : 3));
  EXPECT_EQ(built.unbuilt_filters, before.unbuilt_filters);

  layout = LayoutOf(GetParam());
  store.Reopen(layout, path);
  ASSERT_TRUE(store.is_open());
  ASSERT_NO_FATAL_FAILURE(store.ExpectAllKeys());
  const uint64_t wrong =
      layout.options.statistics->getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_POSITIVE) -
      layout.options.statistics->getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  const uint64_t useful = Useful(layout.options);
  EXPECT_GT(useful, kKeys / 3);
  if (layout.table.whole_key_filtering) {
    EXPECT_LT(static_cast<double>(wrong), 0.02 * static_cast<double>(useful));
  }
  ASSERT_NO_FATAL_FAILURE(store.ExpectAllKeysInBatches());
  EXPECT_GT(Useful(layout.options), kKeys / 3);
  ASSERT_NO_FATAL_FAILURE(store.ExpectAllByIterator());
  if (layout.options.prefix_extractor != nullptr) {
    Useful(layout.options);
    ASSERT_NO_FATAL_FAILURE(store.ExpectAllPrefixes());
    // Few with timestamps, as with RocksDB's policies.
    EXPECT_GT(Useful(layout.options), layout.has_timestamps ? 0 : kKeys / 10 / 6);
  }
  EXPECT_GT(CurrentCounters().lookups, built.lookups);
}

INSTANTIATE_TEST_SUITE_P(Configurations, NewerRocksDBTest, ::testing::ValuesIn(kConfigurations),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace newer_rocksdb_test
}  // namespace winnow::plugin
