#include "db_bench_ext/text_table.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>

namespace winnow::bench {

std::string TextTable::ToString() const {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (size_t i = 0; i < rows_[r].size(); ++i) {
      const std::string padding(widths[i] - rows_[r][i].size(), ' ');
      absl::StrAppend(&line, i == 0 ? "" : "  ", i == 0 ? "" : padding, rows_[r][i],
                      i == 0 ? padding : "");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
    if (r == 0) {
      size_t width = 0;
      for (const size_t column : widths) width += column + 2;
      absl::StrAppend(&text, std::string(width - 2, '-'), "\n");
    }
  }
  return text;
}

}  // namespace winnow::bench
