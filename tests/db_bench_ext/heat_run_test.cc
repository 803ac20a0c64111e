// Tests with small trees that RocksDB grows under lookups.

#include "db_bench_ext/tuning/heat_run.h"

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::bench {
namespace heat_run_test {

constexpr double kBits = 5;  // low, so that false reads are frequent enough to count

rocksdb::Options SmallTree(bool partitioned) {
  PolicyOptions policy;
  policy.bits_per_key = kBits;
  rocksdb::BlockBasedTableOptions table;
  EXPECT_TRUE(NewFilterPolicy(policy, &table.filter_policy).ok());
  if (partitioned) {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    table.metadata_block_size = 512;
  }
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  options.target_file_size_base = 32 << 10;
  options.max_bytes_for_level_base = 128 << 10;
  options.level_compaction_dynamic_level_bytes = true;
  options.statistics = rocksdb::CreateDBStatistics();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

HeatSettings Small() {
  HeatSettings settings;
  settings.keys = 20'000;
  settings.lookups_a_write = 0.5;
  settings.bits_per_key = kBits;
  settings.looks = 5;
  settings.lookups_at_rest = 20'000;
  return settings;
}

absl::StatusOr<HeatResult> GrowAndAsk(const HeatScenario& scenario, bool partitioned = false) {
  const testing::TemporaryFolder folder;
  const rocksdb::Options options = SmallTree(partitioned);
  LevelTree tree(options, folder.path() + "/tree");
  if (absl::Status status = tree.Open(); !status.ok()) return status;
  return RunHeat(scenario, Small(), *options.statistics, &tree, [](uint64_t, uint64_t) {});
}

// Reported rates match what RocksDB counts: for absent keys, and for present ones in files above
// the file that has them.
TEST(HeatRunTest, RocksDBCountsWhatTheRatesOfTheFiltersSay) {
  for (const HeatScenario& scenario : HeatScenarios()) {
    const absl::StatusOr<HeatResult> result = GrowAndAsk(scenario);
    ASSERT_TRUE(result.ok()) << scenario.name << ": " << result.status();
    const double expected = result->cost.false_reads;
    // Six standard deviations of the lookups and of the keys over which rates were summed.
    const double chance = 6 * std::sqrt(2 * expected / 20'000);
    EXPECT_GT(expected, 0.005) << scenario.name;
    EXPECT_NEAR(result->counted_false_reads, expected, 0.1 * expected + chance) << scenario.name;
    ASSERT_EQ(result->looks.size(), 5u) << scenario.name;
    double grown = 0;
    for (const HeatLook& look : result->looks) grown += look.false_reads / 5;
    EXPECT_GT(grown, 0.005) << scenario.name;
    EXPECT_NEAR(result->grown_false_reads, grown, 1e-9) << scenario.name;
    EXPECT_EQ(result->looks.back().written, 5 * result->looks.front().written) << scenario.name;
    // Filters with a few hundred keys have lower rates than their bits suggest.
    EXPECT_NEAR(result->cost.false_reads / result->cost.uniform_false_reads, 0.9, 0.25)
        << scenario.name << ": a uniform policy is not what is called so";
    EXPECT_NEAR(result->most_memory, 1, 0.05) << scenario.name;
  }
}

TEST(HeatRunTest, PartitionedFiltersAreJudgedAsWell) {
  const absl::StatusOr<HeatResult> result = GrowAndAsk(HeatScenarios().front(), true);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_NEAR(result->counted_false_reads, result->cost.false_reads,
              0.2 * result->cost.false_reads + 6 * std::sqrt(result->cost.false_reads / 10'000));
}

TEST(HeatRunTest, AKeyThatIsFoundAndWasNotWrittenIsAnError) {
  const testing::TemporaryFolder folder;
  const rocksdb::Options options = SmallTree(false);
  const HeatScenario& scenario = HeatScenarios().front();
  HeatSettings settings = Small();
  settings.keys = 1000;
  LevelTree tree(options, folder.path() + "/tree");
  ASSERT_TRUE(tree.Open().ok());
  HeatWorkload work(scenario, settings.keys, settings.seed);
  for (int i = 0; i < 100; ++i) work.NextWrite();
  ASSERT_TRUE(tree.Put(work.NextLookup().number).ok());
  const absl::StatusOr<HeatResult> result =
      RunHeat(scenario, settings, *options.statistics, &tree, [](uint64_t, uint64_t) {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("was found, and was not written"), std::string::npos)
      << result.status();
}

// The reader returns all keys of each file, and files in the order of lookups.
TEST(HeatRunTest, TheReaderOfFiltersSeesEveryKeyInTheOrderOfAsking) {
  const testing::TemporaryFolder folder;
  rocksdb::Options options = SmallTree(false);
  options.disable_auto_compactions = true;
  LevelTree tree(options, folder.path() + "/tree", LevelPrefixes("prefix"));
  ASSERT_TRUE(tree.Open().ok());
  for (const uint64_t number : {2, 4, 6}) {
    ASSERT_TRUE(tree.Put(number).ok());
    ASSERT_TRUE(tree.Put(100 - number).ok());
    ASSERT_TRUE(tree.Flush().ok());
  }
  FilterReader reader(true);
  for (int look = 0; look < 2; ++look) {
    const absl::StatusOr<std::vector<FilterFile>> files = reader.Read(tree);
    ASSERT_TRUE(files.ok()) << files.status();
    ASSERT_EQ(files->size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      const uint64_t number = 6 - 2 * i;
      const FilterFile& file = (*files)[i];
      EXPECT_EQ(*file.numbers, (std::vector<uint64_t>{number, 100 - number})) << i;
      EXPECT_EQ(file.first, number);
      EXPECT_EQ(file.last, 100 - number);
      EXPECT_EQ(file.keys, 2u);
      EXPECT_EQ(file.blocks, 1u);
      EXPECT_LT(file.rate, 1);
    }
  }
}

}  // namespace heat_run_test
}  // namespace winnow::bench
