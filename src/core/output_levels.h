// Output levels: levels that a file's keys reach when compactions move them down the tree.

#ifndef WINNOW_SRC_CORE_OUTPUT_LEVELS_H_
#define WINNOW_SRC_CORE_OUTPUT_LEVELS_H_

#include <functional>
#include <string_view>
#include <vector>

namespace winnow::core {

struct FileSpan {
  int level = 0;
  std::string_view first;  // user keys
  std::string_view last;

  // First lower level with keys in [first, last]. A file that overlaps nothing below gets the last
  // level that has files or, on level 0, the first level below 0; -1: none.
  int below = -1;
};

// Three-way comparison of keys: negative, 0 or positive.
using CompareKeys = std::function<int(std::string_view, std::string_view)>;

// Sets `below` of all files of one tree. Files of one level, except level 0, may overlap only in
// their end keys. Takes some comparisons per file.
void SetBelow(const CompareKeys& compare, std::vector<FileSpan>* files);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_OUTPUT_LEVELS_H_
