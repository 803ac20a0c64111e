// Winnow with other RocksDB features, many of which are newer than 7.0: a table of configurations.
// The database of each must find all its keys, and skip absent ones by Winnow's filters.

#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
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

void Partition(Layout* layout) {
  layout->table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  layout->table.partition_filters = true;
  layout->table.metadata_block_size = 512;
  layout->table.cache_index_and_filter_blocks = true;
}

void Decouple([[maybe_unused]] Layout* layout, [[maybe_unused]] bool is_decoupled) {
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
  layout->table.decouple_partitioned_filters = is_decoupled;
#endif
}

void AddPrefixes(Layout* layout, bool with_whole_keys) {
  layout->options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(kPrefixBytes));
  layout->table.whole_key_filtering = with_whole_keys;
}

void AddTimestamps([[maybe_unused]] Layout* layout, [[maybe_unused]] bool are_persistent) {
#if WINNOW_ROCKSDB_AT_LEAST(8, 6)
  layout->has_timestamps = true;
  layout->options.comparator = ROCKSDB_NAMESPACE::BytewiseComparatorWithU64Ts();
  layout->options.persist_user_defined_timestamps = are_persistent;
  layout->options.allow_concurrent_memtable_write = are_persistent;
#endif
}

void CompressInParallel(Layout* layout) {
  layout->options.compression = ROCKSDB_NAMESPACE::kLZ4Compression;
  layout->options.compression_opts.parallel_threads = 4;
}

// Returns null if the RocksDB version has a feature, else `what`: the reason why it is missing.
constexpr const char* Needs(bool is_there, const char* what) { return is_there ? nullptr : what; }
constexpr const char* kDecoupling =
    Needs(WINNOW_ROCKSDB_AT_LEAST(9, 6), "decouple_partitioned_filters came with RocksDB 9.6");
constexpr const char* kTimestamps = Needs(
    WINNOW_ROCKSDB_AT_LEAST(8, 6), "comparators with timestamps are public from RocksDB 8.6 on");
// RocksDB 8.11's flush with `wait` does not return, with any policy: it retains the timestamps
// until full_history_ts_low advances.
constexpr const char* kTimestampsInMemory =
    Needs(WINNOW_ROCKSDB_AT_LEAST(9, 10),
          "a flush of timestamps that are kept in memory only need not end before RocksDB 9.10");
constexpr const char* kEntities =
    Needs(WINNOW_ROCKSDB_AT_LEAST(7, 6), "reading wide columns came with RocksDB 7.6");
constexpr const char* kBoundedFiles =
    Needs(WINNOW_ROCKSDB_AT_LEAST(10, 9), "target_file_size_is_upper_bound came with RocksDB 10.9");

struct Configuration {
  const char* name;
  const char* missing;  // null if this version has it
  void (*apply)(Layout* layout);
};

std::ostream& operator<<(std::ostream& out, const Configuration& one) { return out << one.name; }

const Configuration kConfigurations[] = {
    {"format_version_5", nullptr, [](Layout* layout) { layout->table.format_version = 5; }},
    {"format_version_6", nullptr, [](Layout* layout) { layout->table.format_version = 6; }},
    {"format_version_7", nullptr, [](Layout* layout) { layout->table.format_version = 7; }},
    {"format_version_7_partitions", nullptr,
     [](Layout* layout) {
       layout->table.format_version = 7;
       Partition(layout);
     }},
    {"partitions_decoupled", kDecoupling,
     [](Layout* layout) {
       Partition(layout);
       Decouple(layout, true);
     }},
    {"partitions_coupled", nullptr,
     [](Layout* layout) {
       Partition(layout);
       Decouple(layout, false);
     }},
    {"partitions_decoupled_verified", kDecoupling,
     [](Layout* layout) {
       Partition(layout);
       Decouple(layout, true);
       layout->table.detect_filter_construct_corruption = true;
     }},
    {"keys_and_prefixes", nullptr, [](Layout* layout) { AddPrefixes(layout, true); }},
    {"prefixes", nullptr, [](Layout* layout) { AddPrefixes(layout, false); }},
    {"partitions_keys_and_prefixes", nullptr,
     [](Layout* layout) {
       Partition(layout);
       Decouple(layout, false);
       AddPrefixes(layout, true);
     }},
    {"partitions_prefixes", nullptr,
     [](Layout* layout) {
       Partition(layout);
       Decouple(layout, false);
       AddPrefixes(layout, false);
     }},
    {"partitions_decoupled_keys_and_prefixes", kDecoupling,
     [](Layout* layout) {
       Partition(layout);
       Decouple(layout, true);
       AddPrefixes(layout, true);
     }},
    {"partitions_decoupled_prefixes", kDecoupling,
     [](Layout* layout) {
       Partition(layout);
       Decouple(layout, true);
       AddPrefixes(layout, false);
     }},
    {"reverse_order_keys_and_prefixes", nullptr,
     [](Layout* layout) {
       layout->options.comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
       AddPrefixes(layout, true);
     }},
    {"timestamps", kTimestamps, [](Layout* layout) { AddTimestamps(layout, true); }},
    {"timestamps_in_memory_only", kTimestampsInMemory,
     [](Layout* layout) { AddTimestamps(layout, false); }},
    {"timestamps_partitions_keys_and_prefixes", kTimestamps,
     [](Layout* layout) {
       AddTimestamps(layout, true);
       Partition(layout);
       Decouple(layout, true);
       AddPrefixes(layout, true);
     }},
    {"timestamps_in_memory_only_partitions", kTimestampsInMemory,
     [](Layout* layout) {
       AddTimestamps(layout, false);
       Partition(layout);
       Decouple(layout, true);
     }},
    {"wide_columns", kEntities, [](Layout* layout) { layout->has_entities = true; }},
    {"wide_columns_partitions", kEntities,
     [](Layout* layout) {
       layout->has_entities = true;
       Partition(layout);
     }},
    {"parallel_compression", nullptr, [](Layout* layout) { CompressInParallel(layout); }},
    {"parallel_compression_keys_and_prefixes", nullptr,
     [](Layout* layout) {
       CompressInParallel(layout);
       AddPrefixes(layout, true);
     }},
    {"parallel_compression_partitions", nullptr,
     [](Layout* layout) {
       CompressInParallel(layout);
       Partition(layout);
       Decouple(layout, true);
     }},
    {"files_of_bounded_size", kBoundedFiles,
     [](Layout* layout) {
#if WINNOW_ROCKSDB_AT_LEAST(10, 9)
       layout->options.target_file_size_is_upper_bound = true;
#endif
       layout->options.target_file_size_base = 32 << 10;
     }},
    {"files_of_bounded_size_partitions", kBoundedFiles,
     [](Layout* layout) {
#if WINNOW_ROCKSDB_AT_LEAST(10, 9)
       layout->options.target_file_size_is_upper_bound = true;
#endif
       layout->options.target_file_size_base = 32 << 10;
       Partition(layout);
     }},
    {"no_filters_in_the_last_level", nullptr,
     [](Layout* layout) { layout->options.optimize_filters_for_hits = true; }},
};

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

  // Writes four flushes, with deleted and overwritten keys, and compacts the first three. Every
  // third prefix is absent.
  void Fill() {
    for (uint64_t round = 0; round < 4; ++round) {
      for (uint64_t i = 0; i < kKeys; ++i) {
        if (i / 10 % 3 != 0 && (i + round) % 2 == 0) {
          ASSERT_STATUS_OK(Put(i, "value " + std::to_string(i + round)));
        }
        if (i % 11 == round) {
          ASSERT_STATUS_OK(Delete(i));
        }
      }
      ASSERT_STATUS_OK(database_->Flush(FlushOptions()));
      if (round == 2) {
        ASSERT_STATUS_OK(database_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
      }
      ++time_;
    }
  }

  void ExpectAllKeys() {
    ASSERT_NO_FATAL_FAILURE(testing::ExpectAllKeys(*database_, model_, kKeys, read_));
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
    testing::ExpectAllKeysInBatches(*database_, model_, kKeys, read_);
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
    for (uint64_t i = 0; i < kKeys; i += 10) {
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

  static Layout LayoutOf(const Configuration& configuration) {
    Layout layout;
    layout.table.filter_policy = MakePolicyFrom("winnow:10");
    layout.options = MakeOptions(layout.table);
    configuration.apply(&layout);
    layout.options.table_factory.reset(NewBlockBasedTableFactory(layout.table));
    return layout;
  }

  TemporaryFolder folder_;
};

TEST_P(NewerRocksDBTest, FindsEveryKeyAndSkipsOthers) {
  if (GetParam().missing != nullptr) {
    GTEST_SKIP() << GetParam().missing;
  }
  Layout layout = LayoutOf(GetParam());
  if (const Status status =
          layout.options.table_factory->ValidateOptions(layout.options, layout.options);
      !status.ok()) {
    // RocksDB may only refuse a format_version.
    ASSERT_NE(std::string(GetParam().name).find("format_version"), std::string::npos)
        << status.ToString();
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
  EXPECT_GT(Useful(layout.options), kKeys / 3);
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
