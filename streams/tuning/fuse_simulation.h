// Simulation of binary fuse filters: in how many slots random keys can be placed.

#ifndef WINNOW_STREAMS_TUNING_FUSE_SIMULATION_H_
#define WINNOW_STREAMS_TUNING_FUSE_SIMULATION_H_

#include <cstdint>

#include "streams/amq/shapes.h"

namespace winnow::bench {

using FuseSizing = amq::FuseShape (*)(uint64_t keys, unsigned arity);

// The shape of Graf and Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters", 2022.
amq::FuseShape PublishedShapeOfFuse(uint64_t keys, unsigned arity);

// The most keys that get the slots of so many: their place is the narrowest.
uint64_t MostKeysInTheSlotsOf(uint64_t keys, unsigned arity, FuseSizing sizing);

// The share of tries in which not all keys can be placed, 0 to 1. Arity 3 or 4; fewer than 2^31
// keys. The same numbers for the same seed on every machine.
double SimulateFuse(const amq::FuseShape& shape, unsigned arity, uint64_t keys, unsigned tries,
                    uint64_t seed);

}  // namespace winnow::bench

#endif  // WINNOW_STREAMS_TUNING_FUSE_SIMULATION_H_
