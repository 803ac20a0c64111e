#include "src/rocksdb/trees/file_list.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace winnow::plugin {
namespace {

// Finds the files that have nothing below them. `files` are sorted by level.
void SetBottoms(std::vector<ArrangedFiles::File>* files) {
  // The ranges of all lower levels, joined so that none overlaps another.
  std::map<std::string, std::string> below;  // first to last
  const auto is_below = [&below](const KeyRange& range) {
    auto at = below.upper_bound(range.last);
    return at != below.begin() && std::prev(at)->second >= range.first;
  };
  const auto add_below = [&below](const KeyRange& range) {
    auto at = below.upper_bound(range.first);
    if (at != below.begin() && std::prev(at)->second >= range.first) --at;
    KeyRange merged = range;
    while (at != below.end() && at->first <= merged.last) {
      merged.first = std::min(merged.first, at->first);
      merged.last = std::max(merged.last, at->second);
      at = below.erase(at);
    }
    below.emplace(std::move(merged.first), std::move(merged.last));
  };
  for (size_t end = files->size(); end > 0;) {
    size_t begin = end;
    while (begin > 0 && (*files)[begin - 1].facts.level == (*files)[end - 1].facts.level) --begin;
    for (size_t i = begin; i < end; ++i) {
      (*files)[i].facts.is_bottom = !is_below((*files)[i].facts.range);
    }
    for (size_t i = begin; i < end; ++i) add_below((*files)[i].facts.range);
    end = begin;
  }
}

// Finds the files of level 0 that overlap others there. `files` are sorted by level and first key.
void SetWaiting(std::vector<ArrangedFiles::File>* files) {
  std::string reached;
  for (size_t i = 0; i < files->size() && (*files)[i].facts.level == 0; ++i) {
    const KeyRange& range = (*files)[i].facts.range;
    const bool meets_next = i + 1 < files->size() && (*files)[i + 1].facts.level == 0 &&
                            (*files)[i + 1].facts.range.first <= range.last;
    (*files)[i].facts.waits = meets_next || (i > 0 && range.first <= reached);
    reached = std::max(reached, range.last);
  }
}

}  // namespace

ArrangedFiles::ArrangedFiles(std::vector<File> files) : files_(std::move(files)) {
  std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) {
    return std::tie(a.facts.level, a.facts.range.first, a.listed->name) <
           std::tie(b.facts.level, b.facts.range.first, b.listed->name);
  });
  SetBottoms(&files_);
  SetWaiting(&files_);
  by_name_.reserve(files_.size());
  for (File& file : files_) by_name_.emplace(file.listed->name, &file);
  by_first_.reserve(files_.size());
  for (File& file : files_) by_first_.push_back(&file);
  std::sort(by_first_.begin(), by_first_.end(), [](const File* a, const File* b) {
    return a->facts.range.first < b->facts.range.first;
  });
}

ArrangedFiles::File* ArrangedFiles::Named(FileName name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

ArrangedFiles::ByFirst::const_iterator ArrangedFiles::FromKey(const std::string& key) const {
  return std::partition_point(by_first_.begin(), by_first_.end(),
                              [&key](const File* file) { return file->facts.range.first < key; });
}

ArrangedFiles::File* ArrangedFiles::Match(const RecordedFiles::File& file) const {
  const KeyRange& range = file.facts.range;
  for (auto at = FromKey(range.first); at != by_first_.end(); ++at) {
    File* const other = *at;
    if (other->facts.range.first != range.first) break;
    if (!other->is_recorded && other->facts.level >= file.facts.level &&
        other->facts.range.last >= range.last &&
        (!other->listed->is_measured || other->facts.keys <= 2 * file.facts.keys)) {
      return other;
    }
  }
  return nullptr;
}

}  // namespace winnow::plugin
