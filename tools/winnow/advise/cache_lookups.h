// The lookups that are followed through a block cache, in their order of time, and what each of
// them asks which files for.

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
  std::vector<AdvicePiece> pieces;     // the files of `timed`
  uint64_t found_by_chance = 0;        // near misses that are keys, and are dropped
  std::vector<std::string> left_away;  // sentences: lookups that are more than can be followed

  bool IsFound(uint32_t key) const;
};

// Recorded lookups in their order, made-up ones by chance. Asks the files in processes of their
// own, and sets the errors of the reading's files; takes its made-up lookups.
CacheLookups TakeCacheLookups(const AdviceOptions& options, const AdviceProgress& progress,
                              AdviceReading* reading);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_CACHE_LOOKUPS_H_
