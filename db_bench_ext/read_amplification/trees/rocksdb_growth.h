// Growing a tree by RocksDB's own compaction: trivial moves, universal, FIFO, backlogs.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_ROCKSDB_GROWTH_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_ROCKSDB_GROWTH_H_

#include <absl/status/status.h>
#include <rocksdb/db.h>

#include "db_bench_ext/read_amplification/keys/key_set.h"
#include "db_bench_ext/read_amplification/keys/write_sequence.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"
#include "db_bench_ext/read_amplification/trees/tree_writer.h"

namespace winnow::bench {

// State of a database's background work.
struct BackgroundWork {
  uint64_t running = 0;  // flushes and compactions
  bool flush_pending = false;
  bool compaction_pending = false;  // RocksDB would compact if it found something to pick
};

BackgroundWork BackgroundWorkOf(rocksdb::DB* db);

// Detects whether nothing happens any more in a database, judged by looks at it at equal times.
class RestDetector {
 public:
  explicit RestDetector(bool auto_compactions) : auto_compactions_(auto_compactions) {}

  // True once kLooks looks in a row saw nothing run and nothing wait. A compaction that stays
  // pending while nothing runs counts after kIdleLooks looks: universal and FIFO compaction may ask
  // for one and then find no files for it.
  bool Rests(const BackgroundWork& work);

  static constexpr int kLooks = 5;
  static constexpr int kIdleLooks = 100;

 private:
  const bool auto_compactions_;
  int quiet_ = 0;
  int idle_ = 0;
};

// Into a new database that is open with GrowingOptions, as fast as it takes the keys; then waits
// until it is at rest. `progress` is also asked while it waits. A tree that has fewer keys than
// were written, as FIFO compaction drops what is above its size, is an error where each was written
// once.
absl::Status GrowByRocksDB(const KeySet& keys, const WriteSequence& writes,
                           const TreeOptions& options, rocksdb::DB* db, GrowthProgress progress,
                           const AfterWrites& after = nullptr);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_ROCKSDB_GROWTH_H_
