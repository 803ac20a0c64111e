// Text in aligned columns.

#ifndef WINNOW_SRC_TEXT_TEXT_TABLE_H_
#define WINNOW_SRC_TEXT_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace winnow::inspect {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kRight;
  int spare = 0;  // above 0: may be dropped if there is no room, lowest number first
};

// A table with two spaces between columns and no trailing spaces. Cells are UTF-8, with one place
// per character. Every row must have one cell per column.
class TextTable {
 public:
  using Row = std::vector<std::string>;

  explicit TextTable(std::vector<Column> columns, std::vector<Row> rows = {})
      : columns_(std::move(columns)), rows_(std::move(rows)) {}

  void AddRow(Row row) { rows_.push_back(std::move(row)); }

  // Draws a line under the titles.
  void Underline() { underlined_ = true; }

  // Returns the table, which ends with a line feed.
  std::string ToString() const;

 private:
  const std::vector<Column> columns_;
  std::vector<Row> rows_;
  bool underlined_ = false;
};

// Wraps the text at spaces to at most `width` characters per line; a longer word is not split.
// Lines after the first are indented by `indent` spaces.
std::string WrapText(const std::string& text, size_t width, size_t indent = 0);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_TEXT_TABLE_H_
