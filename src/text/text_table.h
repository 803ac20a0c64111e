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
  int spare = 0;  // above 0: may be left out where there is no room, those of lower numbers first
};

// Two spaces between columns, none at the ends of lines. Cells are UTF-8, each character
// of which takes one place, and every row has one for every column.
class TextTable {
 public:
  using Row = std::vector<std::string>;

  explicit TextTable(std::vector<Column> columns, std::vector<Row> rows = {})
      : columns_(std::move(columns)), rows_(std::move(rows)) {}

  void AddRow(Row row) { rows_.push_back(std::move(row)); }

  // Draws a line under the titles.
  void Underline() { underlined_ = true; }

  // Ends with the end of the last line.
  std::string ToString() const;

 private:
  const std::vector<Column> columns_;
  std::vector<Row> rows_;
  bool underlined_ = false;
};

// The text with its spaces made ends of lines where it would be wider than `width`; a longer word
// stays whole. Lines after the first begin with `indent` spaces.
std::string WrapText(const std::string& text, size_t width, size_t indent = 0);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_TEXT_TABLE_H_
