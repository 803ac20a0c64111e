// Column family whose keys have timestamps: the model holds every version of a key, and reads are
// at any time.

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

// Returns RocksDB's comparator with 64-bit timestamps. Throws std::runtime_error if there is none.
const ROCKSDB_NAMESPACE::Comparator* TimestampComparator();

// Returns a timestamp as encoded for RocksDB's comparator.
std::string Timestamp(uint64_t time);
inline constexpr size_t kTimestampBytes = 8;

// Model entry of a version, newer ones first. It holds a value, or kNoValue for a deletion.
std::string VersionKey(const std::string& key, uint64_t time);
std::string VersionValue(const std::string& value);
inline constexpr char kNoValue[] = "-";

// Returns the key's value at that time.
std::optional<std::string> FindVersion(const FamilyModel& versions, const std::string& key,
                                       uint64_t time);

// Returns all versions that the database has in an owner's part. Throws DifferenceFound if they
// can't be read.
FamilyModel ScanVersions(const Database& database, const KeySpace& keys);

// Puts or deletes a key at a new time.
void WriteSomeVersion(const Database& database, Part* part, Random* random, Counts* counts);

// Reads keys of the part at existing times, and all keys with a prefix, and compares them with the
// model like Reads.
void ReadSomeVersions(const View& view, Random* random, Counts* counts);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_TIMESTAMPS_H_
