// The lookups that are simulated with a block cache, in order of time, and the blocks that they
// read from each file.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_CACHE_LOOKUPS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_CACHE_LOOKUPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/cache_trial/cache_replay.h"
#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

struct CacheLookups {
  TimedLookups timed;
  std::vector<AdvicePiece> pieces;     // files of `timed`
  uint64_t found_by_chance = 0;        // near misses that are keys, and are dropped
  std::vector<std::string> left_away;  // sentences on lookups that exceed the limit

  bool IsFound(uint32_t key) const;
};

// Returns recorded lookups in their order, or drawn ones in random order. Reads the files in worker
// processes and sets their errors; moves drawn lookups out of *reading.
CacheLookups TakeCacheLookups(const AdviceOptions& options, const AdviceProgress& progress,
                              AdviceReading* reading);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_CACHE_LOOKUPS_H_
