#include "src/rocksdb/lookups/counted_asks.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace winnow::plugin {
namespace {

// Maximum gap: below half of 2^32, so that counts can be compared modulo 2^32.
constexpr uint32_t kMostGap = uint32_t{1} << 30;

std::atomic<uint32_t> set_gap{kNoSetGap};

}  // namespace

uint32_t NextMeanGap(uint32_t mean, std::chrono::nanoseconds time) noexcept {
  if (time < kPace) return std::min(2 * mean, kMeanGap);
  return time > 2 * kPace ? std::max(mean / 2, kLeastMeanGap) : mean;
}

uint32_t CurrentSetGap() noexcept { return set_gap.load(std::memory_order_relaxed); }

void SetMeanGap(uint32_t mean) noexcept { set_gap.store(mean, std::memory_order_relaxed); }

// Writes the end that is not valid yet first, so that a reader finds either the old or the new
// pair.
void StartGap(AskCount* count, AskCountEnds* ends, uint32_t gap) noexcept {
  const uint64_t next = (count->left.load(std::memory_order_relaxed) & 1) ^ 1;
  ends->ends[next].store(SumOf(*count, *ends) + gap, std::memory_order_release);
  count->left.store(next - 2 * uint64_t{gap}, std::memory_order_release);
}

// Retries until the end is unchanged: then it was valid when `left`, which selects it, was read.
uint64_t SumOf(const AskCount& count, const AskCountEnds& ends) noexcept {
  for (;;) {
    const std::atomic<uint64_t>& end = ends.ends[count.left.load(std::memory_order_acquire) & 1];
    const uint64_t before = end.load(std::memory_order_acquire);
    const uint64_t left = count.left.load(std::memory_order_acquire);
    if (&end == &ends.ends[left & 1] && end.load(std::memory_order_relaxed) == before) {
      return before + static_cast<uint64_t>(static_cast<int64_t>(left) >> 1);
    }
  }
}

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
