// The sentences of advice on a block cache: what to do, and what was taken for granted.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_CACHE_WORDS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_CACHE_WORDS_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/cache_choices.h"
#include "tools/winnow/advise/cache_rows.h"

namespace winnow::inspect {

// Facts that sentences need besides the rows.
struct CacheWordFacts {
  std::vector<const AdvisedFamily*> families;
  uint64_t largest_filter = 0;     // now, of those that the cache may drop: its charge
  std::set<std::string> prefixes;  // that filters have in place of whole keys
  uint64_t lookups_left_out = 0;   // of those that were drawn
  uint64_t found_by_chance = 0;    // of those, dropped
  uint64_t range_bytes = 0;        // of range filters now
  bool beside_is_too_large = false;
};

// Sets the recommendation, the options and the assumptions of advice whose rows are there; `best`
// is one of them.
void SayCacheAdvice(const CacheAdviceOptions& options, const FiltersOfNow& now,
                    const CacheWordFacts& facts, const CacheRow& best, CacheAdvice* advice);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_CACHE_WORDS_H_
