// Writes of all kinds to an owner's part.

#ifndef WINNOW_TESTS_STRESS_WRITES_H_
#define WINNOW_TESTS_STRESS_WRITES_H_

#include <optional>
#include <string>

#include "tests/stress/counts.h"
#include "tests/stress/database.h"
#include "tests/stress/model.h"
#include "tests/stress/part.h"
#include "third_party/rocksdb_abi/version_at_least.h"

namespace winnow::stress {

// Until 7.10, whose epoch numbers put an end to it, files of level 0 are in the order of their
// sequence numbers: where a file is ingested while a memtable has older entries, and is compacted
// before that is flushed, they overlap, and RocksDB calls it corruption ("L0 file ... with seqno").
// There, whoever ingests has to be alone, and flushes before.
inline constexpr bool kIngestsAlone = !WINNOW_ROCKSDB_AT_LEAST(7, 10);

// Until 8.11 a file that is ingested into a level of universal compaction gets the largest sequence
// number of that level, which may be below that of an older version of its key further down
// (facebook/rocksdb#12257): the next compaction keeps the older one.
inline constexpr bool kIngestsIntoUniversal = WINNOW_ROCKSDB_AT_LEAST(8, 11);

class WriteOperations {
 public:
  // with_merges: RocksDB 7.8.3 itself merges wrong where the versions of a key lie in several files
  // of a level, as snapshots make it: a database has merges or snapshots, not both.
  WriteOperations(const Database& database, Part* part, bool with_merges, Random* random,
                  Counts* counts);

  // A write of a random kind, but Ingest.
  void Any();

  void Single();       // Put, Delete, SingleDelete or Merge
  void Batch();        // several of them, in several families
  void DeleteRange();  // nothing where the database has transactions, which can't
  void Transaction();  // nothing where the database has none
  // A file with new keys: see kIngestsAlone; nothing where kIngestsIntoUniversal forbids it.
  void Ingest();

  // Puts every key of the part that is not there, in every family, and flushes.
  void PutAll();

 private:
  // One that keeps the contract of its key, which now holds `found`.
  Write RandomWrite(size_t family, uint64_t number, const std::optional<std::string>& found);
  // Some, one after the other. `before`: what their keys hold before all of them.
  Writes RandomWrites(uint64_t most, PartModel* before);
  uint64_t SomeNumber();

  const Database& database_;
  Part* const part_;
  const bool with_merges_;
  Random* const random_;
  Counts* const counts_;
};

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_WRITES_H_
