// Plan of a filter: capacity and false-positive rate.

#ifndef WINNOW_AMQ_PLAN_H_
#define WINNOW_AMQ_PLAN_H_

#include <cstdint>
#include <string>

#include "winnow/version.h"

namespace winnow::amq {

// Limits of this library's filters: maximum number of keys, and lowest and highest false-positive
// rate.
inline constexpr uint64_t kMostKeys = uint64_t{1} << 40;
inline constexpr double kLowestRate = 1e-15;
inline constexpr double kHighestRate = 0.5;

struct Plan {
  // Number of distinct keys, 0 to kMostKeys. Filters without a fixed limit accept more keys;
  // expected_fpr() then returns the resulting rate, which is above the planned one.
  uint64_t capacity = 1'000'000;

  // False-positive rate with `capacity` keys, on average over sets of keys: kLowestRate to
  // kHighestRate. It includes capacity / 2^64 for equal hashes, which no filter avoids, and must
  // exceed that by a thousandth of it.
  double rate = 0.01;
};

// Returns an empty string if both values are in range, else an error message that names the value
// and the range. Serialized filters are readable whatever their plan was. Constructors do not
// reject invalid plans: they use the nearest valid value. They allocate all memory of a fixed-size
// filter at once, and throw std::bad_alloc or std::length_error if out of memory.
WINNOW_EXPORT std::string CheckPlan(const Plan& plan);

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_PLAN_H_
