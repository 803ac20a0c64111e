// Sizes and rates that several filters use, as pure functions.

#ifndef WINNOW_STREAMS_AMQ_PLAN_H_
#define WINNOW_STREAMS_AMQ_PLAN_H_

#include <cstdint>

#include "winnow/amq/plan.h"

namespace winnow::amq {

// Returns the plan with each value replaced by the nearest valid one; a NaN rate becomes the lowest
// rate.
Plan NearestValid(const Plan& plan) noexcept;

// Returns the probability that an absent key has the hash of one of n keys.
double EqualHashRate(uint64_t n) noexcept;

// Returns the lowest rate of a valid plan for `capacity` keys.
double LowestRate(uint64_t capacity) noexcept;

// Returns the rate that the bits of this plan's filter must meet: the plan's rate, or the nearest
// valid one, minus the rate of equal hashes. Always above 0.
double OwnRate(const Plan& plan) noexcept;

// Returns the mean of X^k for a ratio X with this mean and with this variance of X / mean. It
// exceeds mean^k, considerably so for few keys at low rates. X is treated as log-normal, which
// never gives less than the exact value here.
double MeanOfPower(double mean, double relative_variance, unsigned k) noexcept;

struct BloomShape {
  uint64_t bits = 1;    // m
  unsigned probes = 1;  // k
};

// Returns the fewest bits of a standard Bloom filter that meets the plan
// (winnow/amq/standard_bloom.h).
BloomShape ShapeOfBloom(const Plan& plan) noexcept;

// Returns the expected share of set bits after n keys set `probes` of m bits each: 1 - (1 -
// 1/m)^(kn).
double ExpectedFill(uint64_t n, double m, unsigned probes) noexcept;

// Returns the expected false-positive rate of a Bloom filter with n keys, m bits and `probes`
// probes.
double BloomRate(uint64_t n, double m, unsigned probes) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_PLAN_H_
