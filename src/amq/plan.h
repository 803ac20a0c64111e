// Sizes and rates that more than one filter takes, as pure functions.

#ifndef WINNOW_SRC_AMQ_PLAN_H_
#define WINNOW_SRC_AMQ_PLAN_H_

#include <cstdint>

#include "winnow/amq/plan.h"

namespace winnow::amq {

// The plan with each value moved to the nearest valid one; a rate that is not a number is the
// lowest.
Plan NearestValid(const Plan& plan) noexcept;

// The chance that an absent key has the hash of one of n others.
double EqualHashRate(uint64_t n) noexcept;

struct BloomShape {
  uint64_t bits = 1;    // m
  unsigned probes = 1;  // k
};

// The fewest bits of a standard Bloom filter that meets the plan (winnow/amq/standard_bloom.h).
BloomShape ShapeOfBloom(const Plan& plan) noexcept;

// The share of set bits, expected, after n keys set `probes` of m bits each: 1 - (1 - 1/m)^(kn).
double ExpectedFill(uint64_t n, double m, unsigned probes) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_SRC_AMQ_PLAN_H_
