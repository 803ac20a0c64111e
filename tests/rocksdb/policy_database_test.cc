// Winnow in real databases: through flushes, compactions, ingestion and changes of the policy.

#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/core/sizing.h"
#include "src/rocksdb/counters.h"
#include "tests/support/database_files.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/filter.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_database_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Tickers;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::ExpectAllKeys;
using testing::ExpectAllKeysInBatches;
using testing::Key;
using testing::MakeOptions;
using testing::MakePolicyFrom;
using testing::Model;
using testing::OpenDatabase;
using testing::TemporaryFolder;

void Put(DB& database, Model& model, uint64_t i, const std::string& value) {
  ASSERT_STATUS_OK(database.Put(WriteOptions(), Key(i), value));
  model[Key(i)] = value;
}

uint64_t Ticker(const Options& options, Tickers ticker) {
  return options.statistics->getTickerCount(ticker);
}

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
    EXPECT_LT(Ticker(options, ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL), kKeys * 51 / 100);
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
  const FilterInfo info = FilterView(testing::ReadFilters(folder_.path()).at(0).block).info();
  EXPECT_EQ(info.level_plan, LevelPlan::kAuto);
  EXPECT_EQ(info.levels_below, -1);
  EXPECT_NEAR(info.target_fpr, core::RateForBits(10), 1e-5);
  const auto database = OpenDatabase(options, path_);
  ASSERT_NE(database, nullptr);
  ASSERT_STATUS_OK(database->IngestExternalFile({file}, {}));
  EXPECT_EQ(PoliciesOfFiles(*database), (std::vector<std::string>{"winnow.Filter"}));
  ASSERT_NO_FATAL_FAILURE(ExpectAllKeys(*database, model, 5000));
  EXPECT_GT(Ticker(options, ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL), 4800u);
}

}  // namespace policy_database_test
}  // namespace winnow::plugin
