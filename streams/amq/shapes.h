// The shapes that plans give to filters, as pure functions; each is beside the filter that it is
// of. Plans are valid ones.

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
// Rates below kLowestConcurrentRate count as that.
ConcurrentShape ShapeOfConcurrent(const Plan& plan) noexcept;
double ConcurrentRate(uint64_t keys, const ConcurrentShape& shape) noexcept;

// PartitionedBloom: words of 64 bits of each part, and the rate of n keys with so many.
uint64_t WordsOfPart(const Plan& plan, unsigned parts) noexcept;
double PartitionedRate(uint64_t n, uint64_t words, unsigned parts) noexcept;

struct CuckooShape {
  uint64_t buckets = 1;  // of 4 slots
  unsigned bits = 5;     // of a fingerprint
};
CuckooShape ShapeOfCuckoo(const Plan& plan) noexcept;
// With this share of the slots taken.
double CuckooRate(double load, unsigned bits) noexcept;

// XorFilter: slots of each third.
uint64_t SlotsOfThird(uint64_t keys) noexcept;

struct FuseShape {
  unsigned segment_bits = 1;  // a segment has 2^segment_bits slots
  uint64_t segments = 3;      // of all
};
FuseShape ShapeOfFuse(uint64_t keys, unsigned arity) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_SHAPES_H_
