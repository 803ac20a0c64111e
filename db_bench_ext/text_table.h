// Columns of text, aligned.

#ifndef WINNOW_DB_BENCH_EXT_TEXT_TABLE_H_
#define WINNOW_DB_BENCH_EXT_TEXT_TABLE_H_

#include <string>
#include <vector>

namespace winnow::bench {

// The first column to the left, the others to the right, two spaces between them, a line under the
// head. Cells are ASCII.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }

  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TEXT_TABLE_H_
