// Computes the bits_per_key that a filter was asked for from the filter itself, for any kind.

#ifndef WINNOW_TESTS_SUPPORT_ASKED_BITS_H_
#define WINNOW_TESTS_SUPPORT_ASKED_BITS_H_

#include <cstdint>
#include <string_view>

#include "src/core/sizing.h"
#include "winnow/filter.h"

namespace winnow::testing {

// Returns the minimum bits, from 1 to 32, for which the predicate is true; it must be monotonic.
template <typename Predicate>
double LeastBits(Predicate is_enough) {
  double low = kBitsPerKeyOption.least;
  double high = kBitsPerKeyOption.most;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (is_enough(middle) ? high : low) = middle;
  }
  return high;
}

// Returns the bits_per_key of a Winnow filter block, within 0.01, from the recorded rate.
inline double AskedBits(std::string_view block) {
  const double rate = FilterView(block).info().target_fpr;
  return LeastBits([rate](double bits) { return core::RateForBits(bits) <= rate; });
}

// Returns the bits_per_key of a Winnow Ribbon filter with this number of keys and bytes, within
// 0.5, since sizes are estimated.
inline double AskedBitsOfRibbon(uint64_t keys, uint64_t bytes) {
  return LeastBits([keys, bytes](double bits) {
    return core::EstimateRibbonBytes(keys, core::RateForBits(bits)) >= bytes;
  });
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_ASKED_BITS_H_
