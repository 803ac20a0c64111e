#include "tools/text_table.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace winnow::tools {
namespace {

std::string Line(const std::vector<Column>& columns, const std::vector<size_t>& widths,
                 const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string padding(widths[i] - cells[i].size(), ' ');
    absl::StrAppend(&line, i == 0 ? "" : "  ",
                    columns[i].align == Align::kLeft ? cells[i] + padding : padding + cells[i]);
  }
  return absl::StrCat(absl::StripTrailingAsciiWhitespace(line), "\n");
}

}  // namespace

std::string TextTable(const std::vector<Column>& columns,
                      const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  std::vector<std::string> titles;
  for (size_t i = 0; i < columns.size(); ++i) {
    titles.push_back(columns[i].title);
    widths.push_back(columns[i].title.size());
    for (const std::vector<std::string>& row : rows) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string table = Line(columns, widths, titles);
  for (const std::vector<std::string>& row : rows) {
    absl::StrAppend(&table, Line(columns, widths, row));
  }
  return table;
}

std::string Count(uint64_t number) { return absl::StrCat(number); }

std::string Bits(double bits_per_key) {
  return bits_per_key == 0 ? "-" : absl::StrFormat("%.2f", bits_per_key);
}

std::string Percent(const std::optional<double>& share) {
  return share ? absl::StrFormat("%.3g %%", 100 * *share) : "-";
}

}  // namespace winnow::tools
