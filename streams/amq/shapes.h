// Shapes that plans give to filters, as pure functions. Each is implemented beside its filter.
// Plans must be valid.

#ifndef WINNOW_STREAMS_AMQ_SHAPES_H_
#define WINNOW_STREAMS_AMQ_SHAPES_H_

#include <cstdint>

#include "streams/amq/block_sizing.h"
#include "winnow/amq/plan.h"

namespace winnow::amq {

struct ConcurrentShape {
  uint64_t lines = 1;
  PatternShape pattern = {2, 1};
};
// Rates below kLowestConcurrentRate count as kLowestConcurrentRate.
ConcurrentShape ShapeOfConcurrent(const Plan& plan) noexcept;
double ConcurrentRate(uint64_t keys, const ConcurrentShape& shape) noexcept;

// PartitionedBloom: 64-bit words per part, and the rate of n keys with `words` words per part.
uint64_t WordsOfPart(const Plan& plan, unsigned parts) noexcept;
double PartitionedRate(uint64_t n, uint64_t words, unsigned parts) noexcept;

struct CuckooShape {
  uint64_t buckets = 1;  // buckets of 4 slots
  unsigned bits = 5;     // bits per fingerprint
};
CuckooShape ShapeOfCuckoo(const Plan& plan) noexcept;
// Returns the rate if this share of the slots is taken.
double CuckooRate(double load, unsigned bits) noexcept;

// XorFilter: returns the slots in each third.
uint64_t SlotsOfThird(uint64_t keys) noexcept;

struct FuseShape {
  unsigned segment_bits = 1;  // a segment has 2^segment_bits slots
  uint64_t segments = 3;      // total number of segments
};
FuseShape ShapeOfFuse(uint64_t keys, unsigned arity) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_SHAPES_H_
