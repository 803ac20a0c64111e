#include "src/rocksdb/trees/asked_ranges.h"

#include <algorithm>

namespace winnow::plugin {

using core::RangeKinds;

void AskedRanges::Note(std::string_view begin, std::string_view end) noexcept {
  if (!is_wanted_.load(std::memory_order_relaxed)) return;
  begin = begin.substr(0, kMostBytes);
  end = end.substr(0, kMostBytes);
  if (begin >= end) return;
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  try {
    size_t at = ranges_.size();
    if (at == kMost) {
      random_ ^= random_ << 13;  // xorshift64 (Marsaglia)
      random_ ^= random_ >> 7;
      random_ ^= random_ << 17;
      at = random_ % kMost;
    } else {
      ranges_.reserve(kMost);
      ranges_.emplace_back();
    }
    ranges_[at].first = begin;
    ranges_[at].second = end;
    ++noted_;
  } catch (...) {
    // Out of memory: the range is not sampled.
  }
}

core::TableRangePlan AskedRanges::PlanFor(RangeKind kind, double range_bits) {
  core::TableRangePlan plan;
  plan.range_bits = range_bits;
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool goes_by_scans = kind == RangeKind::kAuto || kind == RangeKind::kBoth;
  is_wanted_.store(goes_by_scans, std::memory_order_relaxed);
  if (!goes_by_scans) {
    ranges_ = {};
    noted_ = 0;
    measure_from_ = kLeast;
  }
  const bool is_measured = noted_ >= measure_from_;
  if (is_measured && goes_by_scans) {
    plan.asked = std::make_shared<const std::vector<core::AskedRange>>(ranges_);
  }
  switch (kind) {
    case RangeKind::kAuto:
    case RangeKind::kBoth:
      plan.kinds = is_measured ? RangeKinds::kBest : decided_;
      break;
    case RangeKind::kPositions:
    case RangeKind::kSingle:
      plan.kinds = RangeKinds::kPositions;
      break;
    case RangeKind::kTrees:
      plan.kinds = RangeKinds::kTrees;
      break;
  }
  return plan;
}

std::string AskedRanges::Measured(const core::DeniedRanges& denied) {
  const std::lock_guard<std::mutex> lock(mutex_);
  denied_by_positions_ += denied.by_positions;
  denied_by_trees_ += denied.by_trees;
  const auto [less, more] = std::minmax(denied_by_positions_, denied_by_trees_);
  const bool is_clear = less + more >= kEnough && 2 * more >= 3 * less;
  if (++files_ < kMostFiles && !is_clear) return {};
  const RangeKinds before = decided_;
  decided_ = denied_by_positions_ + denied_by_trees_ == 0 ? decided_
             : denied_by_positions_ == denied_by_trees_   ? RangeKinds::kByKeys
             : denied_by_positions_ > denied_by_trees_    ? RangeKinds::kPositions
                                                          : RangeKinds::kTrees;
  std::string sentence;
  if (decided_ != before && decided_ != RangeKinds::kByKeys) {
    sentence = "range_kind=auto: new range filters of this column family are " +
               std::string(decided_ == RangeKinds::kPositions ? "positions" : "trees") +
               ": of the scans that were sampled, positions deny " +
               std::to_string(denied_by_positions_) + " and trees " +
               std::to_string(denied_by_trees_);
  }
  measure_from_ = noted_ + kMost;
  files_ = 0;
  denied_by_positions_ = 0;
  denied_by_trees_ = 0;
  return sentence;
}

core::RangeKinds AskedRanges::decided() const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return decided_;
}

void AskedRanges::SetDecided(core::RangeKinds kinds) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  decided_ = kinds;
}

}  // namespace winnow::plugin
