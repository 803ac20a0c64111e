// Tests of the rows in tables of plans.

#include "db_bench_ext/tuning/plan_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace winnow::bench {
namespace plan_table_test {

const std::vector<PlanColumn>& Columns() {
  static const std::vector<PlanColumn> columns = {{"memory", 3}, {"false reads", 5}};
  return columns;
}

TEST(PlanTableTest, HeadAndRowsHaveTheSameColumns) {
  EXPECT_EQ(PlanTableHead("shape", Columns()),
            "| shape | plan | memory | false reads | keys and bits per key by level |\n"
            "|---|---|---:|---:|---|");
  EXPECT_EQ(PlanTableRow("flat", "auto", Columns(), {{1.0256, 0.0123456}, "6: 600k"}),
            "| flat | auto | 1.026 | 0.01235 | 6: 600k |");
}

TEST(PlanTableTest, MeansStandWithTheStandardDeviationOfARow) {
  const std::vector<PlanRow> rows = {{{1, 0.01}, "a"}, {{2, 0.01}, "b"}, {{6, 0.01}, "c"}};
  EXPECT_EQ(PlanTableMean("flat", "auto", Columns(), rows),
            "| flat | auto, mean of 3 | 3.000 ± 2.646 | 0.01000 ± 0.00000 |  |");
}

}  // namespace plan_table_test
}  // namespace winnow::bench
