#include "src/rocksdb/place_of_file.h"

#include <algorithm>
#include <utility>

namespace winnow::plugin {

void PlaceOfFile::Note(const ROCKSDB_NAMESPACE::Slice& key) {
  const size_t size = std::min(key.size(), KnownRanges::kMostKeyBytes);
  const std::string_view seen(key.data(), size);
  if (keys_ == 1) {
    range_ = {std::string(seen), std::string(seen)};
  } else if (seen < range_.first) {
    range_.first = seen;
  } else if (seen > range_.last) {
    range_.last = seen;
  }
}

FilterOptions PlaceOfFile::Settle() {
  if (keys_ > 0) {
    if (!is_settled_) {
      const int below = ranges_->LevelBelow(facts_.level, range_, known_.base);
      next_ = below == KnownRanges::kBottom ? known_.depth : below;
      is_settled_ = true;
    }
    const bool is_bottom = facts_.is_bottommost || next_ < 0;
    if (is_bottom) ranges_->Add(KnownRanges::kBottom, range_);
    if (facts_.level == 0 || !is_bottom) ranges_->Add(facts_.level, range_);
    // The next partition's keys; its first one tells where this file's range ends.
    keys_ = 0;
  }
  return PlannedOptions(policy_, facts_, known_, next_);
}

}  // namespace winnow::plugin
