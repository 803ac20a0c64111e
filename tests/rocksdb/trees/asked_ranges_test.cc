// Sample of scanned ranges, and the choice of a kind of range filter by this sample.

#include "src/rocksdb/trees/asked_ranges.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "src/core/ranges/table_range_builder.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace asked_ranges_test {

using core::RangeKinds;

void NoteSome(AskedRanges* asked, uint64_t n) {
  for (uint64_t i = 0; i < n; ++i) {
    const std::string begin = "key" + std::to_string(100'000 + i);
    asked->Note(begin, begin + "z");
  }
}

core::DeniedRanges Denied(uint64_t by_positions, uint64_t by_trees) {
  return {by_positions, by_trees, true};
}

class AskedRangesTest : public ::testing::Test {
 protected:
  AskedRanges asked_;
};

TEST_F(AskedRangesTest, KeepsAFewOfTheLatest) {
  NoteSome(&asked_, AskedRanges::kLeast - 1);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).asked, nullptr);
  NoteSome(&asked_, 1);
  ASSERT_NE(asked_.PlanFor(RangeKind::kAuto, 15).asked, nullptr);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).asked->size(), AskedRanges::kLeast);
  NoteSome(&asked_, 10'000);
  const auto kept = asked_.PlanFor(RangeKind::kAuto, 15).asked;
  ASSERT_EQ(kept->size(), AskedRanges::kMost);
  size_t late = 0;
  for (const auto& [begin, end] : *kept) late += begin > "key105000" ? 1 : 0;
  EXPECT_GT(late, AskedRanges::kMost / 2);
}

TEST_F(AskedRangesTest, CutsLongEndsAndLeavesOutWhatIsEmptyThen) {
  const std::string same(AskedRanges::kMostBytes, 's');
  for (uint64_t i = 0; i < 100; ++i) asked_.Note(same + "a", same + "b");
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).asked, nullptr);
  for (uint64_t i = 0; i < 100; ++i) asked_.Note("a" + same, "b" + same);
  const auto kept = asked_.PlanFor(RangeKind::kAuto, 15).asked;
  ASSERT_NE(kept, nullptr);
  for (const auto& [begin, end] : *kept) {
    EXPECT_EQ(begin.size(), AskedRanges::kMostBytes);
    EXPECT_EQ(end.size(), AskedRanges::kMostBytes);
  }
}

TEST_F(AskedRangesTest, TheKindThatDeniesMoreIsTakenUntilMuchIsAskedAnew) {
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kByKeys);
  NoteSome(&asked_, 100);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kBest);
  EXPECT_EQ(asked_.Measured(Denied(1, 9)), "") << "too few";
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kBest);
  EXPECT_NE(asked_.Measured(Denied(1, 9)).find("positions deny 2 and trees 18"), std::string::npos);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kTrees);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).asked, nullptr);
  NoteSome(&asked_, AskedRanges::kMost - 1);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kTrees);
  NoteSome(&asked_, 1);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kBest);
  EXPECT_NE(asked_.Measured(Denied(100, 50)), "");
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kPositions);
  NoteSome(&asked_, AskedRanges::kMost);
  EXPECT_EQ(asked_.Measured(Denied(100, 50)), "") << "as before";
}

// Without this rule, files of a tree whose scans no filter can reject would always be built twice.
TEST_F(AskedRangesTest, WhereNoneIsDeniedItGoesByTheKeys) {
  NoteSome(&asked_, 100);
  for (int files = 0; files < 4; ++files) {
    EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kBest);
    EXPECT_EQ(asked_.Measured(Denied(0, 0)), "");
  }
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kByKeys);
}

TEST_F(AskedRangesTest, FewDeniedRangesOfSomeFilesDecideToo) {
  NoteSome(&asked_, 100);
  EXPECT_EQ(asked_.Measured(Denied(0, 1)), "");
  for (int files = 0; files < 2; ++files) asked_.Measured(Denied(0, 0));
  EXPECT_NE(asked_.Measured(Denied(0, 0)), "");
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kTrees);
  NoteSome(&asked_, AskedRanges::kMost);
  for (int files = 0; files < 4; ++files) asked_.Measured(Denied(0, 0));
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kTrees) << "as before";
}

TEST_F(AskedRangesTest, AKindThatGoesByNoScansKeepsNone) {
  NoteSome(&asked_, 100);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kTrees, 15).asked, nullptr);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).asked, nullptr);
  NoteSome(&asked_, 20);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).asked, nullptr) << "too few";
  NoteSome(&asked_, 20);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).asked->size(), 40u);
  asked_.PlanFor(RangeKind::kPositions, 15);
  NoteSome(&asked_, 40);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).asked, nullptr);
}

TEST_F(AskedRangesTest, AWorkerTakesWhatItIsTold) {
  asked_.SetDecided(RangeKinds::kTrees);
  EXPECT_EQ(asked_.decided(), RangeKinds::kTrees);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).kinds, RangeKinds::kTrees);
  EXPECT_EQ(asked_.PlanFor(RangeKind::kPositions, 15).kinds, RangeKinds::kPositions);
}

TEST_F(AskedRangesTest, BothMeansAuto) {
  NoteSome(&asked_, 100);
  const core::TableRangePlan plan = asked_.PlanFor(RangeKind::kBoth, 30);
  EXPECT_EQ(plan.kinds, RangeKinds::kBest);
  EXPECT_EQ(plan.range_bits, 30);
  EXPECT_NE(plan.asked, nullptr);
}

TEST_F(AskedRangesTest, AnyNumberOfThreadsMayNote) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([this] { NoteSome(&asked_, 20'000); });
  for (int i = 0; i < 200; ++i) asked_.PlanFor(RangeKind::kAuto, 15);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(asked_.PlanFor(RangeKind::kAuto, 15).asked->size(), AskedRanges::kMost);
}

}  // namespace asked_ranges_test
}  // namespace winnow::plugin
