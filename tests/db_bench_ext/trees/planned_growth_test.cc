// Tests of when level 0 is compacted.

#include "db_bench_ext/read_amplification/trees/planned_growth.h"

#include <gtest/gtest.h>

#include "db_bench_ext/read_amplification/trees/compaction_plan.h"

namespace winnow::bench {
namespace planned_growth_test {

TEST(Level0TriggerTest, TheLastFlushesStay) {
  const struct {
    uint64_t flush, flushes, files, trigger;
  } cases[] = {
      {1, 10, 2, 4},
      {7, 10, 2, 4},
      {8, 10, 2, 1},
      {9, 10, 2, kNeverLevel0},
      {10, 10, 2, kNeverLevel0},
      {9, 10, 0, 4},
      {10, 10, 0, 1},
      {1, 1, 0, 1},
      {1, 2, 2, kNeverLevel0},
      {1, 3, 2, 1},
      {1, 5, 30, kNeverLevel0},
  };
  for (const auto& row : cases) {
    EXPECT_EQ(Level0Trigger(row.flush, row.flushes, 4, row.files), row.trigger)
        << row.flush << " of " << row.flushes << ", " << row.files << " stay";
  }
}

}  // namespace planned_growth_test
}  // namespace winnow::bench
