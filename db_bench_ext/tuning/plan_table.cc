#include "db_bench_ext/tuning/plan_table.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <cmath>

namespace winnow::bench {
namespace {

std::string RowOf(const std::string& name, const std::string& plan,
                  const std::vector<std::string>& cells, const std::string& levels) {
  return absl::StrCat("| ", name, " | ", plan, " | ", absl::StrJoin(cells, " | "), " | ", levels,
                      " |");
}

}  // namespace

std::string PlanTableHead(const std::string& first, const std::vector<PlanColumn>& columns) {
  std::vector<std::string> titles;
  std::string line = "|---|---|";
  for (const PlanColumn& column : columns) {
    titles.push_back(column.title);
    absl::StrAppend(&line, "---:|");
  }
  return absl::StrCat(RowOf(first, "plan", titles, "keys and bits per key by level"), "\n", line,
                      "---|");
}

std::string PlanTableRow(const std::string& name, const std::string& plan,
                         const std::vector<PlanColumn>& columns, const PlanRow& row) {
  std::vector<std::string> cells;
  for (size_t i = 0; i < columns.size(); ++i) {
    cells.push_back(absl::StrFormat("%.*f", columns[i].digits, row.numbers[i]));
  }
  return RowOf(name, plan, cells, row.levels);
}

std::string PlanTableMean(const std::string& name, const std::string& plan,
                          const std::vector<PlanColumn>& columns,
                          const std::vector<PlanRow>& rows) {
  const auto n = static_cast<double>(rows.size());
  std::vector<std::string> cells;
  for (size_t i = 0; i < columns.size(); ++i) {
    double mean = 0;
    for (const PlanRow& row : rows) mean += row.numbers[i] / n;
    double squares = 0;
    for (const PlanRow& row : rows) squares += std::pow(row.numbers[i] - mean, 2);
    cells.push_back(absl::StrFormat("%.*f ± %.*f", columns[i].digits, mean, columns[i].digits,
                                    std::sqrt(squares / (n - 1))));
  }
  return RowOf(name, absl::StrCat(plan, ", mean of ", rows.size()), cells, "");
}

}  // namespace winnow::bench
