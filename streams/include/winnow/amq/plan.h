// The plan of a filter: for how many keys, at which rate.

#ifndef WINNOW_AMQ_PLAN_H_
#define WINNOW_AMQ_PLAN_H_

#include <cstdint>
#include <string>

#include "winnow/version.h"

namespace winnow::amq {

// The filters of this library hold at most this many keys, and have rates between these two.
inline constexpr uint64_t kMostKeys = uint64_t{1} << 40;
inline constexpr double kLowestRate = 1e-15;
inline constexpr double kHighestRate = 0.5;

struct Plan {
  // Distinct keys, 0 to kMostKeys. More keys may be added to the filters that do not refuse them;
  // expected_fpr() then tells the rate, which is above the planned one.
  uint64_t capacity = 1'000'000;

  // The share of absent keys for which the filter says "may contain" when it holds `capacity` keys,
  // on average over sets of so many: kLowestRate to kHighestRate. capacity / 2^64 of it are those
  // that have the hash of a key, whatever the filter: it must be more than that, by a thousandth.
  double rate = 0.01;
};

// Empty if both values are in their range, else a sentence that names the value and the range.
// Serialized filters are read whatever their plan was.
// Constructors do not refuse what this refuses: they take the nearest valid value. They allocate
// all the memory of a filter of fixed size at once, and throw std::bad_alloc or std::length_error
// where there is not as much.
WINNOW_EXPORT std::string CheckPlan(const Plan& plan);

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_PLAN_H_
