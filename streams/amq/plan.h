// Sizes and rates that more than one filter takes, as pure functions.

#ifndef WINNOW_STREAMS_AMQ_PLAN_H_
#define WINNOW_STREAMS_AMQ_PLAN_H_

#include <cstdint>

#include "winnow/amq/plan.h"

namespace winnow::amq {

// The plan with each value moved to the nearest valid one; a rate that is not a number is the
// lowest.
Plan NearestValid(const Plan& plan) noexcept;

// The chance that an absent key has the hash of one of n others.
double EqualHashRate(uint64_t n) noexcept;

// The lowest rate of a valid plan for so many keys.
double LowestRate(uint64_t capacity) noexcept;

// The rate that the bits of this plan's filter must meet: that of the plan, or of the nearest valid
// one, less that of equal hashes. Above 0.
double OwnRate(const Plan& plan) noexcept;

// The mean of X^k, where X is a share that varies: by its mean and the variance of X / mean. That
// of X^k's own mean is higher than mean^k, much so for few keys at low rates. (As if the logarithm
// of X were normal, which is never less than it is here.)
double MeanOfPower(double mean, double relative_variance, unsigned k) noexcept;

struct BloomShape {
  uint64_t bits = 1;    // m
  unsigned probes = 1;  // k
};

// The fewest bits of a standard Bloom filter that meets the plan (winnow/amq/standard_bloom.h).
BloomShape ShapeOfBloom(const Plan& plan) noexcept;

// The share of set bits, expected, after n keys set `probes` of m bits each: 1 - (1 - 1/m)^(kn).
double ExpectedFill(uint64_t n, double m, unsigned probes) noexcept;

// The share of other keys that have all their bits set then, expected.
double BloomRate(uint64_t n, double m, unsigned probes) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_PLAN_H_
