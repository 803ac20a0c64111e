#include "tools/winnow/cli/terminal.h"

#include <absl/strings/numbers.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "src/cli/progress.h"
#include "src/text/printable.h"

namespace winnow::tools {
namespace {

constexpr size_t kMinPath = 16;
constexpr size_t kMinRemark = 10;

size_t WidthOfColumn(const inspect::Column& column,
                     const std::vector<inspect::TextTable::Row>& rows, size_t number) {
  size_t width = column.title.size();
  for (const inspect::TextTable::Row& row : rows) {
    width = std::max(width, inspect::Width(row[number]));
  }
  return width;
}

// Returns the width of all columns but the first, with the gaps before them.
size_t WidthOfOthers(const std::vector<inspect::Column>& columns,
                     const std::vector<inspect::TextTable::Row>& rows) {
  size_t width = 0;
  for (size_t i = 1; i < columns.size(); ++i) {
    width += 2 + WidthOfColumn(columns[i], rows, i);
  }
  return width;
}

// Removes the column with the smallest positive `spare`. Returns false if there is none.
bool LeaveOneOut(std::vector<inspect::Column>* columns,
                 std::vector<inspect::TextTable::Row>* rows) {
  auto sparest = columns->end();
  for (auto column = columns->begin(); column != columns->end(); ++column) {
    if (column->spare > 0 && (sparest == columns->end() || column->spare < sparest->spare)) {
      sparest = column;
    }
  }
  if (sparest == columns->end()) return false;
  const auto number = sparest - columns->begin();
  columns->erase(sparest);
  for (inspect::TextTable::Row& row : *rows) {
    row.erase(row.begin() + number);
  }
  return true;
}

std::string Drawn(std::vector<inspect::Column> columns, std::vector<inspect::TextTable::Row> rows,
                  bool underlined) {
  inspect::TextTable table(std::move(columns), std::move(rows));
  if (underlined) {
    table.Underline();
  }
  return table.ToString();
}

}  // namespace

bool OutputIsTerminal() { return isatty(STDOUT_FILENO) != 0; }

size_t OutputWidth() {
  const char* said = getenv("COLUMNS");
  size_t columns = 0;
  if (said != nullptr && absl::SimpleAtoi(said, &columns) && columns > 0) {
    return columns;
  }
  return cli::TerminalWidth(stdout);
}

std::string FittedTable(std::vector<inspect::Column> columns,
                        std::vector<inspect::TextTable::Row> rows, size_t width, bool underlined) {
  if (width == 0 || columns.size() < 2) {
    return Drawn(std::move(columns), std::move(rows), underlined);
  }
  const size_t wanted = std::min(WidthOfColumn(columns.front(), rows, 0), kMinPath);
  size_t others = WidthOfOthers(columns, rows);
  while (others + wanted > width && LeaveOneOut(&columns, &rows)) {
    others = WidthOfOthers(columns, rows);
  }
  const size_t last = WidthOfColumn(columns.back(), rows, columns.size() - 1);
  const size_t missing = others + wanted > width ? others + wanted - width : 0;
  const bool last_fits = missing == 0 || missing + kMinRemark <= last;
  others -= last_fits ? missing : last + 2;
  const size_t room = std::max(wanted, width > others ? width - others : 0);
  for (inspect::TextTable::Row& row : rows) {
    row.front() = inspect::ShortenedInTheMiddle(row.front(), room);
    if (last_fits) {
      row.back() = inspect::ShortenedAtTheEnd(row.back(), last - missing);
    } else {
      row.pop_back();
    }
  }
  if (!last_fits) {
    columns.pop_back();
  }
  return Drawn(std::move(columns), std::move(rows), underlined);
}

}  // namespace winnow::tools
