#include "src/rocksdb/remote/stated_rates.h"

#include <algorithm>

#include "src/core/sizing.h"

namespace winnow::plugin {

void StatedRates::Add(const PolicyOptions& options) noexcept {
  if (options.build != Build::kWinnow) return;
  const double usual = core::RateForBits(options.bits_per_key);
  const RateRange any{0, 1, usual};
  const bool is_one = options.level_plan == LevelPlan::kUniform && options.filter_memory == 0;
  const RateRange range = is_one ? RateRange{usual, usual, usual} : any;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto is_same = [&range](const RateRange& other) {
    return other.least == range.least && other.most == range.most;
  };
  ranges_.erase(std::remove_if(ranges_.begin(), ranges_.end(), is_same), ranges_.end());
  if (ranges_.size() == kMostRanges) ranges_.assign(1, any);
  ranges_.push_back(range);
}

std::optional<RateRange> StatedRates::AskedInsteadOf(double rate) const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const RateRange& range : ranges_) {
    if (rate <= 1.1 * range.most && range.least <= 1.1 * rate) return std::nullopt;
  }
  return ranges_.empty() ? std::nullopt : std::optional(ranges_.back());
}

}  // namespace winnow::plugin
