// Changes the files of a database and its options, but nothing that it holds.

#ifndef WINNOW_TESTS_STRESS_UPKEEP_H_
#define WINNOW_TESTS_STRESS_UPKEEP_H_

#include "tests/stress/counts.h"
#include "tests/stress/database.h"

namespace winnow::stress {

// For one who is inside the gate: a flush, a compaction of a range, of some files or of a whole
// family, or another policy by SetOptions.
void SomeUpkeep(const Database& database, Random* random, Counts* counts);

// Likewise: another level plan, other bits, or RocksDB's filters from Winnow's policy, by
// SetOptions.
void ChangeSomePlan(const Database& database, Random* random, Counts* counts);

// For one who is not: another prefix extractor by SetOptions.
void ChangeSomeExtractor(Database* database, Random* random, Counts* counts);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_UPKEEP_H_
