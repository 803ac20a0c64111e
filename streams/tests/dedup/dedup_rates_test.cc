// Tests that `winnow dedup` drops as many lines by mistake as the layout's model says.

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "streams/amq/block_sizing.h"
#include "streams/dedup/seen_lines.h"
#include "streams/tests/dedup/dedup_testing.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "winnow/amq/blocked_bloom.h"

namespace winnow {
namespace dedup_rates_test {

using testing::ChildResult;
using testing::RunDedup;
using testing::RunProgram;

std::string Ask(const std::string& arguments) {
  const ChildResult outcome = RunProgram({"sh", "-c", "'" WINNOW_DEDUP_LINES "' " + arguments});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  return outcome.output;
}

constexpr int kLines = 1'250'000;
constexpr int kDistinct = 1'000'000;

TEST(DedupRatesTest, DropsAreThoseOfTheSumOfRates) {
  const testing::TemporaryFolder folder;
  const std::string file = folder / "lines";
  Ask("lines " + std::to_string(kLines) + " >'" + file + "'");
  for (const char* rate : {"1e-2", "1e-3", "1e-4", "1e-5", "1e-9"}) {
    double expected = 0, deviation = 0;
    std::istringstream(Ask("expect " + std::to_string(kDistinct) + " " + rate)) >> expected >>
        deviation;
    const ChildResult outcome =
        RunDedup("'" + file + "' --count --capacity=1000000 --rate=" + rate);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NEAR(kDistinct - std::stoi(outcome.output), expected, 3 * deviation + 0.5) << rate;
    // Most drops occur when the filter is nearly full.
    EXPECT_GT(expected, 0.03 * std::stod(rate) * kDistinct);
    EXPECT_LT(expected, 0.5 * std::stod(rate) * kDistinct);
  }
}

// Layouts have fewer blocks per line where that takes little more memory.
TEST(DedupRatesTest, LayoutsReadFewBlocksAndHoldTheRate) {
  for (const double rate : {1e-2, 1e-3, 1e-4, 1e-5, 1e-7, 1e-9, 1e-12, 1e-15}) {
    for (const uint64_t lines : {1u, 1'000u, 10'000'000u}) {
      const uint64_t planned = dedup::WithHeadroom(lines);
      const amq::BlockedShape smallest = amq::BlockedBloom::ShapeFor({planned, rate});
      const amq::BlockedShape shape = dedup::ShapeForLines(lines, rate);
      EXPECT_LE(amq::BlockedRate(planned, shape), rate);
      EXPECT_LE(static_cast<double>(shape.num_blocks),
                1.05 * static_cast<double>(smallest.num_blocks));
      EXPECT_LE(shape.blocks_per_key, smallest.blocks_per_key);
    }
  }
  EXPECT_EQ(dedup::ShapeForLines(10'000'000, 1e-9).blocks_per_key, 3u);
  EXPECT_EQ(dedup::ShapeForLines(10'000'000, 1e-3).blocks_per_key, 1u);
}

// Checks the model where drops of the layout for 1e-9 are frequent enough to count.
TEST(DedupRatesTest, OverfilledLayoutsDropWhatTheModelSays) {
  for (const char* plan : {"100000 1e-9 3", "100000 1e-9 4", "100000 1e-5 2", "51000 1e-12 4"}) {
    double drops = 0, expected = 0, deviation = 0;
    std::istringstream(Ask(std::string("overfill ") + plan)) >> drops >> expected >> deviation;
    EXPECT_GT(expected, 10) << plan;
    EXPECT_NEAR(drops, expected, 3 * deviation + 0.01 * expected) << plan;
  }
}

}  // namespace dedup_rates_test
}  // namespace winnow
