// Winnow in real databases: every shape of filter, through flushes, compactions and changes of the
// policy.

#include <gtest/gtest.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "src/rocksdb/counters.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_database_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::Tickers;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::ExpectAllKeys;
using testing::ExpectAllKeysInBatches;
using testing::Key;
using testing::kPrefixBytes;
using testing::MakeOptions;
using testing::MakePolicyFrom;
using testing::Model;
using testing::OpenDatabase;
using testing::TemporaryFolder;

constexpr uint64_t kSeed = 7;
void Put(DB& database, Model& model, uint64_t i, const std::string& value) {
  ASSERT_STATUS_OK(database.Put(WriteOptions(), Key(i), value));
  model[Key(i)] = value;
}

void ExpectAllPrefixes(DB& database, const Model& model, uint64_t num_keys) {
  ReadOptions options;
  options.prefix_same_as_start = true;
  for (uint64_t i = 0; i < num_keys; i += 10) {
    const std::string prefix = Key(i).substr(0, kPrefixBytes);
    const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> at(database.NewIterator(options));
    auto expected = model.lower_bound(prefix);
    for (at->Seek(prefix); at->Valid(); at->Next(), ++expected) {
      ASSERT_NE(expected, model.end());
      ASSERT_EQ(at->key().ToString(), expected->first);
      ASSERT_EQ(at->value().ToString(), expected->second);
    }
    ASSERT_STATUS_OK(at->status());
    ASSERT_TRUE(expected == model.end() || expected->first.compare(0, kPrefixBytes, prefix) != 0)
        << expected->first;
  }
}

uint64_t Ticker(const Options& options, Tickers ticker) {
  return options.statistics->getTickerCount(ticker);
}

uint64_t PrefixUseful(const Options& options) {
  uint64_t sum = 0;
  for (const Tickers ticker : rocksdb_abi::kPrefixUseful) {
    sum += Ticker(options, ticker);
  }
  return sum;
}

class AppendOperator final : public ROCKSDB_NAMESPACE::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "append"; }
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* merged,
             ROCKSDB_NAMESPACE::Logger* /*logger*/) const override {
    *merged = (existing != nullptr ? existing->ToString() : std::string()) + value.ToString();
    return true;
  }
};

struct Shape {
  const char* name;
  const char* policy;
  bool whole_keys;
  bool prefixes;
  bool partitions;
  bool memory_mapped;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.name; }

constexpr char kDefault[] = "winnow:10";
constexpr char kAllRibbon[] = "{id=winnow;ribbon_min_keys=0;bloom_before_level=-1}";
constexpr char kAllBloom[] = "{id=winnow:12.5;ribbon_min_keys=18446744073709551615}";

const Shape kShapes[] = {
    {"whole_keys", kDefault, true, false, false, false},
    {"whole_keys_ribbon", kAllRibbon, true, false, false, false},
    {"whole_keys_bloom_memory_mapped", kAllBloom, true, false, false, true},
    {"prefixes", kDefault, false, true, false, false},
    {"keys_and_prefixes", kDefault, true, true, false, true},
    {"partitions", kDefault, true, false, true, false},
    {"partitions_ribbon_memory_mapped", kAllRibbon, true, false, true, true},
    {"partitions_keys_and_prefixes", kDefault, true, true, true, false},
    {"partitions_prefixes_ribbon", kAllRibbon, false, true, true, false},
};

class ShapeTest : public ::testing::TestWithParam<Shape> {
 protected:
  ShapeTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  static Options OptionsOf(const Shape& shape, bool verify) {
    BlockBasedTableOptions table;
    table.format_version = 5;
    table.filter_policy = MakePolicyFrom(shape.policy);
    table.whole_key_filtering = shape.whole_keys;
    table.detect_filter_construct_corruption = verify;
    if (shape.partitions) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
      table.metadata_block_size = 512;
      table.cache_index_and_filter_blocks = true;
    }
    Options options = MakeOptions(table);
    options.allow_mmap_reads = shape.memory_mapped;
    options.merge_operator = std::make_shared<AppendOperator>();
    if (shape.prefixes) {
      options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(kPrefixBytes));
    }
    return options;
  }

  // Writes three flushes and compacts all but the last, with snapshots, merge operands and deleted
  // keys. Every third prefix is absent.
  static void Fill(DB& database, Model& model) {
    const ROCKSDB_NAMESPACE::Snapshot* snapshot = nullptr;
    for (uint64_t round = 0; round < 4; ++round) {
      for (uint64_t i = 0; i < kKeys; ++i) {
        if (i / 10 % 3 != 0 && (i + round) % 2 == 0) {
          Put(database, model, i, "value " + std::to_string(i + round));
        }
        if (i % 7 == round) {
          ASSERT_STATUS_OK(database.Merge(WriteOptions(), Key(i + kKeys), "+"));
          ASSERT_STATUS_OK(database.Merge(WriteOptions(), Key(i + kKeys), "-"));
          model[Key(i + kKeys)] += "+-";
        }
        if (i % 11 == round) {
          ASSERT_STATUS_OK(database.Delete(WriteOptions(), Key(i)));
          model.erase(Key(i));
        }
      }
      if (round == 0) {
        snapshot = database.GetSnapshot();
      }
      ASSERT_STATUS_OK(database.Flush(FlushOptions()));
      if (round == 2) {
        ASSERT_STATUS_OK(database.CompactRange(CompactRangeOptions(), nullptr, nullptr));
      }
    }
    database.ReleaseSnapshot(snapshot);
  }

  static constexpr uint64_t kKeys = 6000;
  TemporaryFolder folder_;
};

TEST_P(ShapeTest, LosesNoKeyAndSkipsAbsentOnes) {
  const Shape& shape = GetParam();
  for (const bool verify : {false, true}) {
    const std::string path = folder_ / (verify ? "verified" : "plain");
    const Counters before = CurrentCounters();
    Model model;
    {
      const auto database = OpenDatabase(OptionsOf(shape, verify), path);
      ASSERT_NE(database, nullptr);
      ASSERT_NO_FATAL_FAILURE(Fill(*database, model));
    }
    const Counters built = CurrentCounters();
    EXPECT_GT(built.bloom_filters + built.ribbon_filters,
              before.bloom_filters + before.ribbon_filters + (shape.partitions ? 10 : 3));
    EXPECT_EQ(built.unbuilt_filters, before.unbuilt_filters);

    // Reopens the database, so that all reads are from files.
    const Options options = OptionsOf(shape, verify);
    const auto database = OpenDatabase(options, path);
    ASSERT_NE(database, nullptr);
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, 2 * kKeys));
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeysInBatches(*database, model, 2 * kKeys));
    if (shape.prefixes) {
      ASSERT_NO_FATAL_FAILURE(ExpectAllPrefixes(*database, model, 2 * kKeys));
      EXPECT_GT(PrefixUseful(options), kKeys / 30 / 2);
    }
    EXPECT_GT(Ticker(options, ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL) + PrefixUseful(options),
              kKeys / 2);
    if (shape.whole_keys) {
      const uint64_t positive = Ticker(options, ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_POSITIVE);
      const uint64_t wrong =
          positive - Ticker(options, ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_TRUE_POSITIVE);
      const uint64_t useful = Ticker(options, ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL);
      EXPECT_LT(static_cast<double>(wrong), 0.02 * static_cast<double>(useful));
    }
    EXPECT_GT(CurrentCounters().lookups, built.lookups);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShapeTest, ::testing::ValuesIn(kShapes),
                         [](const auto& one) { return std::string(one.param.name); });

class PolicyDatabaseTest : public ::testing::Test {
 protected:
  PolicyDatabaseTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  static Options OptionsOf(const std::string& policy) {
    BlockBasedTableOptions table;
    table.format_version = 5;
    if (!policy.empty()) {
      table.filter_policy = MakePolicyFrom(policy);
    }
    return MakeOptions(table);
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
};

// Returns the policy names of a database's files, sorted.
std::vector<std::string> PoliciesOfFiles(DB& database) {
  ROCKSDB_NAMESPACE::TablePropertiesCollection files;
  EXPECT_TRUE(database.GetPropertiesOfAllTables(&files).ok());
  std::vector<std::string> policies;
  for (const auto& [path, properties] : files) {
    EXPECT_GT(properties->filter_size, 0u) << path;
    policies.push_back(properties->filter_policy_name);
  }
  std::sort(policies.begin(), policies.end());
  return policies;
}

TEST_F(PolicyDatabaseTest, LivesWithTheBuiltinPolicyBeforeAndAfterIt) {
  constexpr uint64_t kKeys = 20000;
  Model model;
  {
    const auto database = OpenDatabase(OptionsOf("bloomfilter:10"), path_);
    ASSERT_NE(database, nullptr);
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_NO_FATAL_FAILURE(Put(*database, model, i, "old " + std::to_string(i)));
    }
    ASSERT_STATUS_OK(database->Flush(FlushOptions()));
    ASSERT_STATUS_OK(database->CompactRange(CompactRangeOptions(), nullptr, nullptr));
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, kKeys));
  }
  {
    const Options options = OptionsOf("winnow:10");
    const auto database = OpenDatabase(options, path_);
    ASSERT_NE(database, nullptr);
    // Filters of old files stay in use.
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, kKeys));
    EXPECT_GT(Ticker(options, ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL), kKeys * 95 / 100);
    for (uint64_t i = 0; i < kKeys; i += 2) {
      ASSERT_NO_FATAL_FAILURE(Put(*database, model, i, "new " + std::to_string(i)));
    }
    ASSERT_STATUS_OK(database->Flush(FlushOptions()));
    EXPECT_EQ(PoliciesOfFiles(*database),
              (std::vector<std::string>{"bloomfilter", "winnow.Filter"}));
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, kKeys));
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeysInBatches(*database, model, kKeys));

    // Compacts half of the keys, so that files of both kinds remain.
    const std::string middle = Key(kKeys / 2);
    const Slice end(middle);
    ASSERT_STATUS_OK(database->CompactRange(CompactRangeOptions(), nullptr, &end));
    for (uint64_t i = 0; i < kKeys; i += 5) {
      ASSERT_NO_FATAL_FAILURE(Put(*database, model, i, "newer " + std::to_string(i)));
    }
    ASSERT_STATUS_OK(database->Flush(FlushOptions()));
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, kKeys));
  }
  {
    const Options options = OptionsOf("bloomfilter:10");
    const auto database = OpenDatabase(options, path_);
    ASSERT_NE(database, nullptr);
    // The built-in policy skips no reads by Winnow's filters, and finds all keys.
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, kKeys));
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeysInBatches(*database, model, kKeys));
    for (uint64_t i = 0; i < kKeys; i += 3) {
      ASSERT_NO_FATAL_FAILURE(Put(*database, model, i, "last " + std::to_string(i)));
    }
    ASSERT_STATUS_OK(database->Flush(FlushOptions()));
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, kKeys));
    ASSERT_STATUS_OK(database->CompactRange(CompactRangeOptions(), nullptr, nullptr));
    EXPECT_EQ(PoliciesOfFiles(*database), (std::vector<std::string>{"bloomfilter"}));
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, kKeys));
  }
}

TEST_F(PolicyDatabaseTest, OurFiltersAreMayMatchForTheBuiltinPolicy) {
  constexpr uint64_t kKeys = 8000;
  Model model;
  {
    const auto database = OpenDatabase(OptionsOf("winnow:10"), path_);
    ASSERT_NE(database, nullptr);
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_NO_FATAL_FAILURE(Put(*database, model, i, "value"));
    }
    ASSERT_STATUS_OK(database->Flush(FlushOptions()));
    ASSERT_STATUS_OK(database->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  }
  for (const char* policy : {"bloomfilter:10", "ribbonfilter:10", ""}) {
    const Options options = OptionsOf(policy);
    const auto database = OpenDatabase(options, path_);
    ASSERT_NE(database, nullptr);
    ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, kKeys));
    EXPECT_EQ(Ticker(options, ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL), 0u) << policy;
  }
}

TEST_F(PolicyDatabaseTest, FlushesMakeBloomAndCompactionsRibbonIfSoAskedFor) {
  const auto database = OpenDatabase(OptionsOf("{id=winnow;bloom_before_level=0}"), path_);
  ASSERT_NE(database, nullptr);
  Model model;
  for (uint64_t i = 0; i < 5000; ++i) {
    ASSERT_NO_FATAL_FAILURE(Put(*database, model, i, "value"));
  }
  const Counters before = CurrentCounters();
  ASSERT_STATUS_OK(database->Flush(FlushOptions()));
  const Counters flushed = CurrentCounters();
  EXPECT_EQ(flushed.bloom_filters - before.bloom_filters, 1u);
  EXPECT_EQ(flushed.ribbon_filters, before.ribbon_filters);
  EXPECT_EQ(flushed.keys - before.keys, 5000u);
  CompactRangeOptions compact;
  compact.bottommost_level_compaction =
      ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForceOptimized;
  ASSERT_STATUS_OK(database->CompactRange(compact, nullptr, nullptr));
  const Counters compacted = CurrentCounters();
  EXPECT_EQ(compacted.bloom_filters, flushed.bloom_filters);
  EXPECT_EQ(compacted.ribbon_filters - flushed.ribbon_filters, 1u);
  EXPECT_LT(compacted.bytes - flushed.bytes, (flushed.bytes - before.bytes) * 3 / 4);
}

// RocksDB asks a builder for the number of keys that fit in metadata_block_size, and cuts the
// partition there or at the end of that data block.
TEST_F(PolicyDatabaseTest, TinyPartitionsTakeLittleMoreThanTheBuiltinOnes) {
  constexpr uint64_t kKeys = 3000;
  struct Size {
    uint64_t metadata_block_size;
    size_t block_size;  // 1: a key per block
  };
  for (const auto& [metadata_block_size, block_size] :
       {Size{1, 4096}, Size{1, 1}, Size{64, 1}, Size{128, 256}, Size{256, 1}, Size{512, 4096}}) {
    std::map<std::string, double> bits;
    for (const std::string policy : {"bloomfilter:10", "winnow:10"}) {
      BlockBasedTableOptions table;
      table.filter_policy = MakePolicyFrom(policy);
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
      table.decouple_partitioned_filters = true;  // decoupled from index partitions
#endif
      table.metadata_block_size = metadata_block_size;
      table.block_size = block_size;
      const auto database = OpenDatabase(MakeOptions(table), path_);
      ASSERT_NE(database, nullptr);
      Model model;
      for (uint64_t i = 0; i < kKeys; ++i) {
        ASSERT_NO_FATAL_FAILURE(Put(*database, model, i, "value"));
      }
      ASSERT_STATUS_OK(database->Flush(FlushOptions()));
      ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, kKeys));
      ASSERT_NO_FATAL_FAILURE(ExpectAllKeysInBatches(*database, model, kKeys));
      ROCKSDB_NAMESPACE::TablePropertiesCollection files;
      ASSERT_STATUS_OK(database->GetPropertiesOfAllTables(&files));
      ASSERT_EQ(files.size(), 1u);
      bits[policy] = 8.0 * static_cast<double>(files.begin()->second->filter_size) /
                     static_cast<double>(kKeys);
      std::filesystem::remove_all(path_);
    }
    // Winnow's longer trailer matters if the index cuts partitions of few keys.
    EXPECT_LT(bits["winnow:10"],
              bits["bloomfilter:10"] * (WINNOW_ROCKSDB_AT_LEAST(9, 6) ? 1.2 : 1.4))
        << "metadata_block_size " << metadata_block_size << ", block_size " << block_size;
  }
}

TEST_F(PolicyDatabaseTest, WritesAndReadsExternalFiles) {
  const Options options = OptionsOf("winnow:10");
  const std::string file = path_ + ".sst";
  Model model;
  ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options);
  ASSERT_STATUS_OK(writer.Open(file));
  for (uint64_t i = 0; i < 5000; ++i) {
    ASSERT_STATUS_OK(writer.Put(Key(i), "external"));
    model[Key(i)] = "external";
  }
  const Counters before = CurrentCounters();
  ASSERT_STATUS_OK(writer.Finish());
  // SstFileWriter's files have no level, so the policy treats them as the last one.
  EXPECT_EQ(CurrentCounters().ribbon_filters - before.ribbon_filters, 1u);
  const auto database = OpenDatabase(options, path_);
  ASSERT_NE(database, nullptr);
  ASSERT_STATUS_OK(database->IngestExternalFile({file}, {}));
  EXPECT_EQ(PoliciesOfFiles(*database), (std::vector<std::string>{"winnow.Filter"}));
  ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, 5000));
  EXPECT_GT(Ticker(options, ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL), 4800u);
}

TEST_F(PolicyDatabaseTest, FilesOfRangeDeletionsOnlyNeedNoFilter) {
  const auto database = OpenDatabase(OptionsOf("winnow:10"), path_);
  ASSERT_NE(database, nullptr);
  ASSERT_STATUS_OK(database->Put(WriteOptions(), Key(1), "value"));
  ASSERT_STATUS_OK(database->Flush(FlushOptions()));
  ASSERT_STATUS_OK(
      database->DeleteRange(WriteOptions(), database->DefaultColumnFamily(), Key(0), Key(9)));
  ASSERT_STATUS_OK(database->Flush(FlushOptions()));
  std::string value;
  EXPECT_TRUE(database->Get(ReadOptions(), Key(1), &value).IsNotFound());
  EXPECT_TRUE(database->Get(ReadOptions(), Key(20), &value).IsNotFound());
}

TEST_F(PolicyDatabaseTest, ServesManyThreads) {
  constexpr uint64_t kKeys = 4000;  // per writer
  constexpr uint64_t kWriters = 3;
  constexpr uint64_t kReaders = 3;
  Options options = OptionsOf("winnow:10");
  options.disable_auto_compactions = false;
  options.write_buffer_size = 64 << 10;
  options.target_file_size_base = 64 << 10;
  options.max_bytes_for_level_base = 256 << 10;
  options.max_background_jobs = 4;
  const auto database = OpenDatabase(options, path_);
  ASSERT_NE(database, nullptr);

  std::atomic<uint64_t> written[kWriters] = {};
  std::atomic<uint64_t> lost{0};
  std::vector<std::thread> threads;
  for (uint64_t writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      for (uint64_t i = 0; i < kKeys; ++i) {
        const Status status = database->Put(WriteOptions(), Key(i * kWriters + writer),
                                            std::string(40, static_cast<char>('a' + i % 26)));
        EXPECT_TRUE(status.ok()) << status.ToString();
        written[writer].store(i + 1);
      }
    });
  }
  for (uint64_t reader = 0; reader < kReaders; ++reader) {
    threads.emplace_back([&, reader] {
      std::mt19937_64 random(kSeed + reader);
      const uint64_t writer = reader % kWriters;
      std::string value;
      while (written[writer].load() < kKeys) {
        const uint64_t known = written[writer].load();
        if (known > 0) {
          const std::string key = Key(random() % known * kWriters + writer);
          lost += database->Get(ReadOptions(), key, &value).ok() ? 0 : 1;
          lost += database->Get(ReadOptions(), key + "x", &value).IsNotFound() ? 0 : 1;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(lost.load(), 0u) << "seed " << kSeed;
  ASSERT_STATUS_OK(database->Flush(FlushOptions()));
  std::string value;
  for (uint64_t i = 0; i < kKeys * kWriters; ++i) {
    ASSERT_STATUS_OK(database->Get(ReadOptions(), Key(i), &value));
  }
}

}  // namespace policy_database_test
}  // namespace winnow::plugin
