// Elimination of one sub-shard of a bumped Ribbon with parameters of choice, to see what each
// costs.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_RIBBON_SIMULATION_H_
#define WINNOW_DB_BENCH_EXT_TUNING_RIBBON_SIMULATION_H_

#include <cstdint>

namespace winnow::bench {

struct RibbonParameters {
  unsigned width = 48;                // bits of a coefficient, at most 48
  unsigned bucket_slots = 128;        // start positions that share a threshold
  unsigned class2_slots = 16;         // offsets below this are of class 2,
  unsigned class1_slots = 36;         // below this of class 1
  unsigned slots_per_thousand = 960;  // slots for every thousand keys
  unsigned shard_slots = 32768;       // of a sub-shard, less what whole buckets leave over
  double columns = 6.77;              // bits of solution a slot, for the share of the thresholds
};

struct RibbonCost {
  double bumped = 0;    // share of the keys, 0 to 1
  double overhead = 0;  // bits over keys * columns, as a share: slots, thresholds, and bumped keys
                        // at the same overhead in the next layer
  double steps = 0;     // rows added for each key while building
};

// Builds sub-shards until `keys` random keys were dealt. The same numbers for
// the same seed on every machine.
RibbonCost SimulateRibbon(const RibbonParameters& parameters, uint64_t keys, uint64_t seed);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_RIBBON_SIMULATION_H_
