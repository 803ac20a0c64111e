#include "src/rocksdb/lookups/counted_asks.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace winnow::plugin {
namespace {

// Maximum gap: threads count down in 32 bits.
constexpr uint32_t kMostGap = uint32_t{1} << 30;

std::atomic<uint32_t> set_gap{kNoSetGap};

}  // namespace

uint32_t NextMeanGap(uint32_t mean, std::chrono::nanoseconds time) noexcept {
  if (time < kPace) return std::min(2 * mean, kMeanGap);
  return time > 2 * kPace ? std::max(mean / 2, kLeastMeanGap) : mean;
}

uint32_t CurrentSetGap() noexcept { return set_gap.load(std::memory_order_relaxed); }

void SetMeanGap(uint32_t mean) noexcept { set_gap.store(mean, std::memory_order_relaxed); }

uint32_t NextGap(uint32_t mean, uint64_t* random) noexcept {
  // xorshift64 (Marsaglia, Journal of Statistical Software 8, 2003).
  uint64_t x = *random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  *random = x;
  if (mean == 0) return kMostGap;
  if (mean == 1) return 1;
  // Uniform in the open interval from 0 to 1.
  const double uniform = (static_cast<double>(x >> 11) + 0.5) * 0x1p-53;
  const double gap = 1 + std::floor(std::log(uniform) / std::log1p(-1.0 / mean));
  return static_cast<uint32_t>(std::min<double>(gap, kMostGap));
}

}  // namespace winnow::plugin
