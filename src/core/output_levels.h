// Output levels: where a file's keys come to when compactions take them down the tree.

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

  // The first level below with keys between these, where a file that lies over nothing counts as on
  // the last level that has files, and another file of level 0 as on the first level below 0; -1:
  // there is none.
  int below = -1;
};

// Below 0, above 0 or 0, as the keys' order has it.
using CompareKeys = std::function<int(std::string_view, std::string_view)>;

// Sets `below` of all files of one tree. The files of a level below 0 overlap at most in the keys
// at their ends. Takes some comparisons a file.
void SetBelow(const CompareKeys& compare, std::vector<FileSpan>* files);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_OUTPUT_LEVELS_H_
