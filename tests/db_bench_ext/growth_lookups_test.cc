// Tests of lookups during the growth of a tree: their keys, number and counts.

#include "db_bench_ext/read_amplification/lookups/growth_lookups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/trees/tree.h"
#include "src/rocksdb/counters.h"
#include "tests/support/files.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::bench {
namespace growth_lookups_test {

using ::testing::HasSubstr;

constexpr uint64_t kKeys = 20'000;

bool GoOn(uint64_t) { return true; }

class GrowthLookupsTest : public ::testing::Test {
 protected:
  GrowthLookupsTest() {
    keys_.range = std::make_shared<GeneratedKeys>(kKeys, 16);
    keys_.absent = std::make_shared<GeneratedKeys>(GeneratedKeys::Absent(kKeys, 16));
    options_.write_buffer_size = 60'000;
    options_ = ScaleTree(options_, kKeys, 16 * kKeys);
    choices_.heat = FindHeatModel("mixgraph");
    choices_.lookups_per_write = 1.5;
    choices_.absent_share = 0.4;
    choices_.seed = 3;
    winnow_rocksdb_register();
    policy_ = *MakePolicy("{id=winnow;bits_per_key=5;level_plan=uniform}");
  }

  // Grows a tree by these steps, under lookups or not.
  absl::Status Grow(const std::vector<WriteStep>& steps, bool under_lookups = true) {
    const WriteSequence writes(kKeys, 1, steps);
    GrowthLookups lookups({keys_, choices_}, writes);
    AfterWrites after;
    if (under_lookups) {
      after = [&](rocksdb::DB* db, uint64_t written) { return lookups.After(db, written); };
    }
    path_ = folder_ / std::to_string(++trees_);
    const absl::Status grown =
        GrowTree(*keys_.range, writes, options_, policy_, path_, GoOn, after);
    intervals_ = lookups.intervals();
    return grown;
  }

  std::vector<uint64_t> KeysByLevel() {
    const auto db = *OpenTree(options_, policy_, path_);
    std::vector<uint64_t> keys;
    for (const std::vector<TreeFile>& level : FilesByLevel(db.get())) {
      keys.push_back(0);
      for (const TreeFile& file : level) keys.back() += file.keys;
    }
    return keys;
  }

  const testing::TemporaryFolder folder_;
  KeysOfRun keys_;
  TreeOptions options_;
  LookupChoices choices_;
  Policy policy_;
  std::string path_;
  std::vector<inspect::GrowthInterval> intervals_;  // of the last tree
  int trees_ = 0;
};

TEST_F(GrowthLookupsTest, AsManyComeAsWereAskedForAndAreCountedByInterval) {
  const std::vector<WriteStep> steps = {{WriteKind::kOnce, 0}, {WriteKind::kDrawn, 0}};
  for (const GrowthKind growth : {GrowthKind::kPlanned, GrowthKind::kRocksDB}) {
    options_.growth = growth;
    const uint64_t before = plugin::CurrentCounters().lookups;
    const absl::Status grown = Grow(steps);
    ASSERT_TRUE(grown.ok()) << grown;
    ASSERT_EQ(intervals_.size(), kGrowthIntervals);
    inspect::WorkloadCounts sum;
    uint64_t written = 0;
    for (const inspect::GrowthInterval& interval : intervals_) {
      EXPECT_GT(interval.written, written);
      EXPECT_NEAR(static_cast<double>(interval.counts.lookups),
                  1.5 * static_cast<double>(interval.written - written), 1);
      written = interval.written;
      sum.lookups += interval.counts.lookups;
      sum.found += interval.counts.found;
      sum.filter_checks += interval.counts.filter_checks;
      sum.false_positive_block_reads += interval.counts.false_positive_block_reads;
    }
    EXPECT_EQ(written, 2 * kKeys);
    EXPECT_EQ(sum.lookups, 3 * kKeys);
    // Ranges without written keys have no present keys.
    EXPECT_NEAR(static_cast<double>(sum.found), 0.6 * 3 * kKeys, 0.01 * 3 * kKeys);
    EXPECT_EQ(sum.filter_checks, plugin::CurrentCounters().lookups - before);
    EXPECT_GT(sum.filter_checks, 3 * kKeys);
    EXPECT_NEAR(inspect::FalsePositiveRate(sum), 0.09, 0.04) << "filters of 5 bits per key";
    const inspect::GrowthInterval& last = intervals_.back();
    EXPECT_NEAR(8 * inspect::Ratio(last.filter_bytes, last.keys), 4, 1);
  }
}

TEST_F(GrowthLookupsTest, PlannedTreesAreTheSameUnderLookups) {
  const std::vector<WriteStep> steps = {{WriteKind::kInTime, 0}};
  choices_.heat = FindHeatModel("newest");
  ASSERT_TRUE(Grow(steps, false).ok());
  const std::vector<uint64_t> alone = KeysByLevel();
  ASSERT_TRUE(Grow(steps).ok());
  EXPECT_EQ(KeysByLevel(), alone);
}

TEST_F(GrowthLookupsTest, AKeyThatShouldBeAbsentAndIsThereEndsTheGrowth) {
  keys_.absent = keys_.range;
  const std::vector<WriteStep> steps = {{WriteKind::kOnce, 0}};
  EXPECT_THAT(std::string(Grow(steps).message()),
              HasSubstr("should be absent in the lookups while the tree grew"));
}

TEST_F(GrowthLookupsTest, ATreeOfAFewWritesHasFewerIntervals) {
  const std::vector<WriteStep> steps = {{WriteKind::kDrawn, 300}};
  ASSERT_TRUE(Grow(steps).ok());
  ASSERT_EQ(intervals_.size(), 2u) << "keys are written by 256";
  EXPECT_EQ(intervals_.back().written, 300u);
  EXPECT_EQ(intervals_[0].counts.lookups + intervals_[1].counts.lookups, 450u);
}

}  // namespace growth_lookups_test
}  // namespace winnow::bench
