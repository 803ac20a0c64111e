// Sentences of advice on a block cache: recommendations and assumptions.

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

// Facts for the sentences besides the rows.
struct CacheWordFacts {
  std::vector<const AdvisedFamily*> families;
  uint64_t largest_filter = 0;     // charge of the largest current filter that the cache may evict
  std::set<std::string> prefixes;  // kinds of prefixes in filters without whole keys
  uint64_t lookups_left_out = 0;   // drawn lookups that were dropped
  uint64_t found_by_chance = 0;    // drawn lookups that were keys, and were dropped
  uint64_t range_bytes = 0;        // size of current range filters
  bool beside_is_too_large = false;
};

// Sets the recommendation, the options and the assumptions of advice that has its rows; `best` is
// one of the rows.
void SayCacheAdvice(const CacheAdviceOptions& options, const FiltersOfNow& now,
                    const CacheWordFacts& facts, const CacheRow& best, CacheAdvice* advice);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_CACHE_WORDS_H_
