// Changes a database's files and options, but not its contents.

#ifndef WINNOW_TESTS_STRESS_UPKEEP_H_
#define WINNOW_TESTS_STRESS_UPKEEP_H_

#include "tests/stress/counts.h"
#include "tests/stress/database.h"

namespace winnow::stress {

// Runs a flush, a compaction of a range, of some files or of a whole column family, or replaces the
// policy by SetOptions. The caller must be inside the gate.
void SomeUpkeep(const Database& database, Random* random, Counts* counts);

// Sets another level plan, other bits, or RocksDB's filters built by Winnow's policy, by
// SetOptions. The caller must be inside the gate.
void ChangeSomePlan(const Database& database, Random* random, Counts* counts);

// Sets another prefix extractor by SetOptions. The caller must be outside the gate.
void ChangeSomeExtractor(Database* database, Random* random, Counts* counts);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_UPKEEP_H_
