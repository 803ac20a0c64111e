// Simulation of binary fuse filters: how often random keys can be placed in a given number of
// slots.

#ifndef WINNOW_STREAMS_TUNING_FUSE_SIMULATION_H_
#define WINNOW_STREAMS_TUNING_FUSE_SIMULATION_H_

#include <cstdint>

#include "streams/amq/shapes.h"

namespace winnow::bench {

using FuseSizing = amq::FuseShape (*)(uint64_t keys, unsigned arity);

// Returns the shape of Graf and Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters",
// 2022.
amq::FuseShape PublishedShapeOfFuse(uint64_t keys, unsigned arity);

// Returns the largest number of keys that gets as many slots as `keys` keys: the most difficult
// case.
uint64_t MostKeysInTheSlotsOf(uint64_t keys, unsigned arity, FuseSizing sizing);

// Returns the share of tries in which not all keys can be placed, 0 to 1. The arity must be 3 or 4,
// and `keys` below 2^31. The result for a seed is identical on all machines.
double SimulateFuse(const amq::FuseShape& shape, unsigned arity, uint64_t keys, unsigned tries,
                    uint64_t seed);

}  // namespace winnow::bench

#endif  // WINNOW_STREAMS_TUNING_FUSE_SIMULATION_H_
