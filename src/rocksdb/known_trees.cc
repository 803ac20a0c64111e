#include "src/rocksdb/known_trees.h"

#include <algorithm>

namespace winnow::plugin {

KnownTrees::Entry* KnownTrees::Find(const void* logger, const std::string& family) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.logger == logger && entry.family == family;
  });
  if (found == entries_.end()) return nullptr;
  std::rotate(entries_.begin(), found, found + 1);
  return &entries_.front();
}

KnownTree KnownTrees::Learn(const void* logger, const std::string& family,
                            const BuildFacts& facts) {
  const std::lock_guard<std::mutex> lock(mutex_);
  KnownTree known;
  if (logger != nullptr) {
    Entry* entry = Find(logger, family);
    if (entry == nullptr) {
      if (entries_.size() == kMostTrees) entries_.pop_back();
      entries_.insert(entries_.begin(), {logger, family, {}, std::make_shared<KnownRanges>()});
      entry = &entries_.front();
    }
    known = entry->tree = WithFile(entry->tree, facts);
  }
  known.size_ratio = options_.size_ratio;
  known.has_dynamic_levels = options_.has_dynamic_levels;
  known.last_level_has_filters = !options_.has_last_level_without_filters.value_or(false);
  return known;
}

std::shared_ptr<KnownRanges> KnownTrees::RangesOf(const void* logger, const std::string& family) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Entry* const entry = Find(logger, family);
  return entry == nullptr ? nullptr : entry->ranges;
}

void KnownTrees::BeginAfresh(const FamilyOptions& options) {
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.clear();
  if (!has_seen_options_) {
    options_ = options;
    has_seen_options_ = true;
    return;
  }
  if (options_.size_ratio != options.size_ratio) options_.size_ratio = 0;
  if (options_.has_dynamic_levels != options.has_dynamic_levels) {
    options_.has_dynamic_levels.reset();
  }
  if (options_.has_last_level_without_filters != options.has_last_level_without_filters) {
    options_.has_last_level_without_filters.reset();
  }
}

}  // namespace winnow::plugin
