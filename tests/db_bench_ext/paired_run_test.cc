#include "db_bench_ext/tuning/paired_run.h"

#include <gtest/gtest.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::bench {
namespace paired_run_test {

constexpr uint64_t kKeys = 20'000;

std::vector<PairedCost> CostsOf(const std::vector<PolicyOptions>& options, bool has_listeners) {
  std::vector<std::shared_ptr<const rocksdb::FilterPolicy>> policies;
  for (const PolicyOptions& one : options) {
    policies.emplace_back();
    EXPECT_TRUE(NewFilterPolicy(one, &policies.back()).ok());
  }
  const PairedPolicies paired(policies, has_listeners);
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = paired.policy();
  rocksdb::Options database;
  database.create_if_missing = true;
  database.compression = rocksdb::kNoCompression;
  database.write_buffer_size = 64 << 10;
  database.target_file_size_base = 64 << 10;
  database.max_bytes_for_level_base = 256 << 10;
  database.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  database.listeners.push_back(paired.listener());
  const testing::TemporaryFolder folder;
  LevelTree tree(database, folder / "database");
  EXPECT_TRUE(tree.Open().ok());
  uint64_t looks = 0;
  const absl::StatusOr<std::vector<PairedCost>> costs =
      RunPaired(LevelScenarios().front(), {policies.size(), kKeys, 5, 10}, paired, &tree,
                [&](uint64_t, uint64_t) { ++looks; });
  EXPECT_TRUE(costs.ok()) << costs.status();
  EXPECT_EQ(looks, 6u);
  return costs.ok() ? *costs : std::vector<PairedCost>(policies.size());
}

PolicyOptions WithBits(double bits_per_key) {
  PolicyOptions options;
  options.bits_per_key = bits_per_key;
  return options;
}

class PairedRunTest : public ::testing::TestWithParam<bool> {};

TEST_P(PairedRunTest, UniformFiltersOfMoreBitsAreLargerAndAsGoodAtEqualMemory) {
  const std::vector<PairedCost> costs = CostsOf({WithBits(10), WithBits(16)}, GetParam());
  EXPECT_NEAR(costs[0].last.MemoryToUniform(), 1, 0.02);
  EXPECT_NEAR(costs[0].to_first, 1, 1e-12);
  EXPECT_NEAR(costs[0].to_uniform, 1, 0.15);  // rates of files with 1,000 keys deviate
  EXPECT_GT(costs[1].last.MemoryToUniform(), 1.4);
  EXPECT_GE(costs[1].most_memory, costs[1].mean_memory);
  EXPECT_LT(costs[1].last.false_reads, costs[0].last.false_reads / 4);
  EXPECT_NEAR(costs[1].to_first, 1, 0.5);
  EXPECT_NEAR(costs[1].to_first_by_range, 1, 0.5);
  // The optimum is lower for runs of unequal sizes.
  EXPECT_GE(costs[1].to_best, costs[1].to_uniform);
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A shadow has the same information as the policy whose filters the tree has. Medians are compared,
// since another thread may build a filter between the two, and a tree of a busy machine may be far
// from its shape.
TEST_P(PairedRunTest, TheSamePlanTwiceIsTheSame) {
  PolicyOptions options = WithBits(10);
  options.level_plan = LevelPlan::kAuto;
  std::vector<double> to_first;
  std::vector<double> more_memory;
  std::vector<double> to_uniform;
  for (int tree = 0; tree < 5; ++tree) {
    const std::vector<PairedCost> costs = CostsOf({options, options}, GetParam());
    to_first.push_back(costs[1].to_first);
    more_memory.push_back(costs[1].mean_memory - costs[0].mean_memory);
    to_uniform.push_back(costs[0].to_uniform);
  }
  EXPECT_NEAR(Median(to_first), 1, 0.03);
  EXPECT_NEAR(Median(more_memory), 0, 0.015);
  EXPECT_LT(Median(to_uniform), 0.95);
}

INSTANTIATE_TEST_SUITE_P(Listener, PairedRunTest, ::testing::Bool());

}  // namespace paired_run_test
}  // namespace winnow::bench
