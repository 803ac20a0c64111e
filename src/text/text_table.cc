#include "src/text/text_table.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cstddef>

#include "src/text/printable.h"

namespace winnow::inspect {
namespace {

std::string Line(const std::vector<Column>& columns, const std::vector<size_t>& widths,
                 const TextTable::Row& cells) {
  std::string line;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string padding(widths[i] - Width(cells[i]), ' ');
    absl::StrAppend(&line, i == 0 ? "" : "  ",
                    columns[i].align == Align::kLeft ? cells[i] + padding : padding + cells[i]);
  }
  return absl::StrCat(absl::StripTrailingAsciiWhitespace(line), "\n");
}

}  // namespace

std::string TextTable::ToString() const {
  std::vector<size_t> widths;
  Row titles;
  size_t total = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    size_t width = Width(columns_[i].title);
    for (const Row& row : rows_) {
      width = std::max(width, Width(row[i]));
    }
    widths.push_back(width);
    total += width + (i == 0 ? 0 : 2);
  }
  std::string table = Line(columns_, widths, titles);
  if (underlined_) {
    absl::StrAppend(&table, std::string(total, '-'), "\n");
  }
  for (const Row& row : rows_) {
    absl::StrAppend(&table, Line(columns_, widths, row));
  }
  return table;
}

std::string WrapText(const std::string& text, size_t width, size_t indent) {
  std::string lines, line;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      absl::StrAppend(&lines, line, "\n");
      line = absl::StrCat(std::string(indent, ' '), word);
    } else {
      absl::StrAppend(&line, line.empty() ? "" : " ", word);
    }
  }
  return lines + line;
}

}  // namespace winnow::inspect
