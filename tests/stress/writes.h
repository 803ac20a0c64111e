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

// Until 7.10, which added epoch numbers, files of level 0 are ordered by sequence number. A file
// that is ingested while a memtable has older entries, and compacted before that memtable is
// flushed, overlaps them, and RocksDB reports corruption ("L0 file ... with seqno"). With these
// versions an ingestion must run exclusively, after a flush.
inline constexpr bool kIngestsAlone = !WINNOW_ROCKSDB_AT_LEAST(7, 10);

// Until 8.11 a file ingested into a level of universal compaction gets the largest sequence number
// of that level, which may be below that of an older version of its key further down
// (facebook/rocksdb#12257): the next compaction keeps the older one.
inline constexpr bool kIngestsIntoUniversal = WINNOW_ROCKSDB_AT_LEAST(8, 11);

class WriteOperations {
 public:
  // with_merges: RocksDB 7.8.3 merges incorrectly if snapshots spread the versions of a key over
  // several files of a level, so a database has merges or snapshots, not both.
  WriteOperations(const Database& database, Part* part, bool with_merges, Random* random,
                  Counts* counts);

  // Runs a write of random kind, except Ingest().
  void Any();

  void Single();       // Put, Delete, SingleDelete or Merge
  void Batch();        // several of them, in several column families
  void DeleteRange();  // does nothing if the database has transactions, which lack it
  void Transaction();  // does nothing if the database has no transactions
  // Ingests a file with new keys: see kIngestsAlone. Does nothing if kIngestsIntoUniversal forbids
  // it.
  void Ingest();

  // Puts every absent key of the part, in every column family, and flushes.
  void PutAll();

 private:
  // Returns a write that is valid for its key, whose value is now `found`.
  Write RandomWrite(size_t family, uint64_t number, const std::optional<std::string>& found);
  // Returns up to `most` writes in sequence. `before` receives what their keys hold before all of
  // them.
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
