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

// The tree of a database that was closed, and opened again with this logger.
KnownTrees::Entry* KnownTrees::Adopt(const void* logger, const std::string& family) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.family == family && entry.record->files.IsReopened();
  });
  if (found == entries_.end()) return nullptr;
  found->logger = logger;
  return Find(logger, family);
}

// The first one stays, whatever it has.
void KnownTrees::Bound() {
  size_t files = 0;
  for (const Entry& entry : entries_) files += entry.record->files.remembered();
  while (entries_.size() > kMostTrees || (files > kMostFiles && entries_.size() > 1)) {
    files -= entries_.back().record->files.remembered();
    entries_.pop_back();
    has_forgotten_.store(true, std::memory_order_relaxed);
  }
}

KnownTree KnownTrees::Learn(const void* logger, const std::string& family,
                            const BuildFacts& facts) {
  const std::lock_guard<std::mutex> lock(mutex_);
  KnownTree known;
  if (logger != nullptr) {
    Entry* entry = Find(logger, family);
    if (entry == nullptr) entry = Adopt(logger, family);
    if (entry == nullptr) {
      entries_.insert(entries_.begin(), {logger, family, {}, std::make_shared<TreeRecord>()});
      entry = &entries_.front();
      Bound();
    } else if (++asked_ % 256 == 0) {
      Bound();
    }
    known = entry->tree = WithFile(entry->tree, facts);
  }
  known.size_ratio = options_.size_ratio;
  known.has_dynamic_levels = options_.has_dynamic_levels;
  known.is_bytewise = options_.is_bytewise;
  known.last_level_has_filters = !options_.has_last_level_without_filters.value_or(false);
  return known;
}

std::shared_ptr<TreeRecord> KnownTrees::RecordOf(const void* logger, const std::string& family) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Entry* const entry = Find(logger, family);
  return entry == nullptr ? nullptr : entry->record;
}

KnownTotals KnownTrees::Totals() const {
  std::vector<std::shared_ptr<TreeRecord>> records;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const Entry& entry : entries_) records.push_back(entry.record);
  }
  KnownTotals totals;
  totals.families = records.size();
  totals.knows_all_files = !records.empty() && !has_forgotten();
  for (const std::shared_ptr<TreeRecord>& record : records) {
    const LiveFiles::Sums sums = record->files.sums();
    totals.files.files += sums.files;
    totals.files.keys += sums.keys;
    totals.files.filter_bytes += sums.filter_bytes;
    totals.files.keys_that_stay += sums.keys_that_stay;
    totals.files.bytes_that_stay += sums.bytes_that_stay;
    totals.knows_all_files = totals.knows_all_files && record->files.KnowsAllFiles();
  }
  return totals;
}

void KnownTrees::Meet(const FamilyOptions& options) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!has_seen_options_) {
    options_ = options;
    has_seen_options_ = true;
    return;
  }
  options_.is_bytewise = options_.is_bytewise && options.is_bytewise;
  if (options_.size_ratio != options.size_ratio) options_.size_ratio = 0;
  if (options_.has_dynamic_levels != options.has_dynamic_levels) {
    options_.has_dynamic_levels.reset();
  }
  if (options_.has_last_level_without_filters != options.has_last_level_without_filters) {
    options_.has_last_level_without_filters.reset();
  }
}

}  // namespace winnow::plugin
