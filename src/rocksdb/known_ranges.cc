#include "src/rocksdb/known_ranges.h"

#include <algorithm>
#include <utility>

namespace winnow::plugin {

std::vector<Coverage::Piece>::iterator Coverage::FirstNotBefore(const std::string& key) noexcept {
  return std::partition_point(pieces_.begin(), pieces_.end(),
                              [&](const Piece& piece) { return piece.range.last < key; });
}

void Coverage::Add(KeyRange range) {
  ++now_;
  const auto begin = FirstNotBefore(range.first);
  auto end = begin;
  uint64_t gap_seen = now_;
  if (begin != pieces_.end()) gap_seen = begin->gap_seen;
  for (; end != pieces_.end() && end->range.first <= range.last; ++end) {
    range.first = std::min(range.first, end->range.first);
    range.last = std::max(range.last, end->range.last);
  }
  if (begin == end) {
    pieces_.insert(begin, {std::move(range), now_});
  } else {
    *begin = {std::move(range), gap_seen};
    pieces_.erase(begin + 1, end);
  }
  if (pieces_.size() > kMostPieces) JoinOnePair();
}

bool Coverage::Overlaps(const KeyRange& range) noexcept {
  const auto piece = FirstNotBefore(range.first);
  if (piece == pieces_.end()) return false;
  if (piece->range.first <= range.last) return true;
  piece->gap_seen = ++now_;
  return false;
}

void Coverage::JoinOnePair() {
  const auto second =
      std::min_element(pieces_.begin() + 1, pieces_.end(),
                       [](const Piece& a, const Piece& b) { return a.gap_seen < b.gap_seen; });
  const auto first = second - 1;
  first->range.last = std::move(second->range.last);
  pieces_.erase(second);
}

void KnownRanges::Add(int level, KeyRange range) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (level > 0) {
    levels_[level].Add(std::move(range));
    return;
  }
  if (flushes_.size() == kRecentFlushes) flushes_.erase(flushes_.begin());
  flushes_.push_back(std::move(range));
}

int KnownRanges::LevelBelow(int level, const KeyRange& range, int base) {
  const std::lock_guard<std::mutex> lock(mutex_);
  int found = -1;
  for (auto below = levels_.upper_bound(level); found < 0 && below != levels_.end(); ++below) {
    if (below->second.Overlaps(range)) found = below->first;
  }
  const bool meets_a_flush =
      level == 0 && base > 0 &&
      std::any_of(flushes_.begin(), flushes_.end(),
                  [&](const KeyRange& flush) { return flush.Overlaps(range); });
  return meets_a_flush && (found < 0 || base < found) ? base : found;
}

}  // namespace winnow::plugin
