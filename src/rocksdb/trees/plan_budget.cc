#include "src/rocksdb/trees/plan_budget.h"

#include <algorithm>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"

namespace winnow::plugin {
namespace {

// Minimum size of a tree, in files of this size, at which its present shape tells something about
// its later shape.
constexpr double kFilesOfATree = 8;

}  // namespace

FilterOptions Affordable(const FilterOptions& planned, double uniform_bits_per_key, uint64_t keys,
                         bool waits, bool without_last, const LiveMemory& alive) noexcept {
  const auto bytes_with = [&](double bits_per_key) {
    FilterOptions options = planned;
    options.bits_per_key = bits_per_key;
    return static_cast<double>(core::EstimateBytes(keys, core::ForBuilding(options)));
  };
  FilterOptions uniform = planned;
  uniform.levels_below = -1;
  uniform.bits_per_key = uniform_bits_per_key;
  const auto own = static_cast<double>(core::EstimateBytes(keys, core::ForBuilding(uniform)));
  if (without_last && planned.levels_below >= 0 &&
      core::PlannedRate(planned) > core::PlannedRate(uniform)) {
    return uniform;
  }
  const bool is_by_files = planned.levels_below < 0;
  const double all = alive.resting.uniform_bytes + alive.waiting.uniform_bytes;
  const bool has_few = all < kFilesOfATree * own;
  if (!is_by_files && has_few) return planned;
  FilterMemory sum = alive.resting;
  double most = is_by_files ? kMaxByFiles : kMaxOfUniform;
  if (waits) most = is_by_files ? kMaxByFilesWithWaiting : kMaxWithWaiting;
  if (without_last) most = kMaxWithoutLast;
  if (is_by_files && !without_last) {
    const double more_bits = planned.bits_per_key - uniform_bits_per_key;
    most += kForThoseThatGainMost * std::clamp((more_bits - kManyBits) / kManyBits, 0.0, 1.0);
  }
  if (waits || has_few) sum += alive.waiting;
  const double of_uniform = sum.uniform_bytes + own;
  double most_bytes = most * of_uniform;
  if (has_few && !without_last) {
    most_bytes =
        std::max(most_bytes, std::min(kMaxOfFew * of_uniform, of_uniform + kMostBytesOfFew));
  }
  const double limit = std::max(own, most_bytes - sum.bytes);
  const double as_planned = bytes_with(planned.bits_per_key);
  if (as_planned <= own) return planned;
  FilterOptions options = planned;
  if (!is_by_files && !without_last) {
    const double to_uniform = (sum.bytes + as_planned) / (sum.uniform_bytes + own);
    const double scarcity = std::clamp((to_uniform - most) / kScarce + 1, 0.0, 1.0);
    options.bits_per_key =
        std::max(planned.bits_per_key - kMaxLostBits * scarcity, double{kBitsPerKeyOption.least});
  }
  if (bytes_with(options.bits_per_key) > limit) {
    double low = kBitsPerKeyOption.least;
    double high = options.bits_per_key;
    for (int i = 0; i < 10; ++i) {
      const double middle = (low + high) / 2;
      (bytes_with(middle) > limit ? high : low) = middle;
    }
    options.bits_per_key = low;
  }
  return core::PlannedRate(options) < core::PlannedRate(uniform) ? options : uniform;
}

}  // namespace winnow::plugin
