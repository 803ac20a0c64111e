// Simulated elimination of one sub-shard of a bumped Ribbon with selectable parameters, to compare
// their costs.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_RIBBON_SIMULATION_H_
#define WINNOW_DB_BENCH_EXT_TUNING_RIBBON_SIMULATION_H_

#include <cstdint>

namespace winnow::bench {

struct RibbonParameters {
  unsigned width = 48;                // bits per coefficient row, at most 48
  unsigned bucket_slots = 128;        // start positions that share a threshold
  unsigned class2_slots = 16;         // offsets below this are of class 2,
  unsigned class1_slots = 36;         // offsets below this of class 1
  unsigned slots_per_thousand = 960;  // slots per thousand keys
  unsigned shard_slots = 32768;       // maximum slots per sub-shard, rounded down to whole buckets
  double columns = 6.77;              // solution bits per slot, for the cost of the thresholds
};

struct RibbonCost {
  double bumped = 0;  // share of the keys, 0 to 1
  // Relative excess over keys * columns bits: slots, thresholds, and bumped keys with equal
  // overhead in the next layer.
  double overhead = 0;
  double steps = 0;  // row additions per key during construction
};

// Builds sub-shards until `keys` random keys were assigned. Results for a seed are equal on all
// machines.
RibbonCost SimulateRibbon(const RibbonParameters& parameters, uint64_t keys, uint64_t seed);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_RIBBON_SIMULATION_H_
