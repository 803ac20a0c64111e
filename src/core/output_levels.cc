#include "src/core/output_levels.h"

#include <algorithm>
#include <map>

namespace winnow::core {
namespace {

using Levels = std::map<int, std::vector<FileSpan*>>;

void SetBelow(const CompareKeys& compare, const Levels& levels, FileSpan* file) {
  const int last = levels.rbegin()->first;
  for (auto level = levels.upper_bound(file->level); level != levels.end(); ++level) {
    const std::vector<FileSpan*>& others = level->second;
    auto other = std::partition_point(others.begin(), others.end(), [&](const FileSpan* one) {
      return compare(one->last, file->first) < 0;
    });
    for (; other != others.end() && compare((*other)->first, file->last) <= 0; ++other) {
      file->below = (*other)->below < 0 ? last : level->first;
      if (file->below == level->first) return;
    }
  }
}

void SetBelowOfFlushes(const CompareKeys& compare, const Levels& levels) {
  const auto base = levels.upper_bound(0);
  if (levels.count(0) == 0 || base == levels.end()) return;
  const std::vector<FileSpan*>& flushes = levels.at(0);
  // Files are sorted by their first keys. A file overlaps an earlier one if any earlier last key
  // reaches it, and a later one if it reaches the next first key.
  std::string_view reached = flushes.front()->last;
  for (size_t i = 1; i < flushes.size(); ++i) {
    if (compare(flushes[i]->first, reached) <= 0) flushes[i]->below = base->first;
    if (compare(flushes[i]->first, flushes[i - 1]->last) <= 0) {
      flushes[i - 1]->below = base->first;
    }
    if (compare(reached, flushes[i]->last) < 0) reached = flushes[i]->last;
  }
}

}  // namespace

void SetBelow(const CompareKeys& compare, std::vector<FileSpan>* files) {
  Levels levels;
  for (FileSpan& file : *files) levels[file.level].push_back(&file);
  for (auto& [number, level] : levels) {
    std::sort(level.begin(), level.end(), [&compare](const FileSpan* a, const FileSpan* b) {
      return compare(a->first, b->first) < 0;
    });
  }
  // From the last level up, since a file's output level depends on those of the files below.
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    for (FileSpan* const file : level->second) SetBelow(compare, levels, file);
  }
  SetBelowOfFlushes(compare, levels);
}

}  // namespace winnow::core
