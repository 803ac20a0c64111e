// The column family whose keys have timestamps: the model holds every version of a key, and is
// asked for any time.

#ifndef WINNOW_TESTS_STRESS_TIMESTAMPS_H_
#define WINNOW_TESTS_STRESS_TIMESTAMPS_H_

#include <rocksdb/comparator.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/stress/counts.h"
#include "tests/stress/model.h"
#include "tests/stress/part.h"
#include "tests/stress/reads.h"

namespace winnow::stress {

// RocksDB's, of timestamps of 64 bits. Throws std::runtime_error if there is none.
const ROCKSDB_NAMESPACE::Comparator* TimestampComparator();

// A timestamp as RocksDB's comparator has it.
std::string Timestamp(uint64_t time);
inline constexpr size_t kTimestampBytes = 8;

// The entry of a version in the model, newer ones first; what it holds is a value or that there is
// none from then on.
std::string VersionKey(const std::string& key, uint64_t time);
std::string VersionValue(const std::string& value);
inline constexpr char kNoValue[] = "-";

// Returns what the key held at that time.
std::optional<std::string> FindVersion(const FamilyModel& versions, const std::string& key,
                                       uint64_t time);

// All versions that an owner has in the database. Throws DifferenceFound if they can't be read.
FamilyModel ScanVersions(const Database& database, const KeySpace& keys);

// Puts or deletes a key, at a time of its own.
void WriteSomeVersion(const Database& database, Part* part, Random* random, Counts* counts);

// Lookups of keys of the part at times that there were, and of all with a prefix. Compared with the
// model, as those of reads.h.
void ReadSomeVersions(const View& view, Random* random, Counts* counts);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_TIMESTAMPS_H_
