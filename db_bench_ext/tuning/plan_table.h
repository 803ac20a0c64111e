// Tables of plans, in Markdown.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_PLAN_TABLE_H_
#define WINNOW_DB_BENCH_EXT_TUNING_PLAN_TABLE_H_

#include <string>
#include <vector>

namespace winnow::bench {

// A column of numbers.
struct PlanColumn {
  std::string title;
  int digits;  // behind the point
};

struct PlanRow {
  std::vector<double> numbers;  // as many as there are columns
  std::string levels;           // keys and bits by level
};

// The head and the line below it; `first` is the title of the column of names.
std::string PlanTableHead(const std::string& first, const std::vector<PlanColumn>& columns);

std::string PlanTableRow(const std::string& name, const std::string& plan,
                         const std::vector<PlanColumn>& columns, const PlanRow& row);

// The means of the rows, of which there are two or more, with the standard deviations.
std::string PlanTableMean(const std::string& name, const std::string& plan,
                          const std::vector<PlanColumn>& columns, const std::vector<PlanRow>& rows);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_PLAN_TABLE_H_
