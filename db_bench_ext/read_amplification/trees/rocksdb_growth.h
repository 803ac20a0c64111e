// Growth of a tree by RocksDB's own compaction: trivial moves, universal, FIFO, backlogs.

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
  bool compaction_pending = false;  // RocksDB would compact if the picker found files
};

BackgroundWork BackgroundWorkOf(rocksdb::DB* db);

// Detects that a database is idle, from observations at equal intervals.
class RestDetector {
 public:
  explicit RestDetector(bool auto_compactions) : auto_compactions_(auto_compactions) {}

  // Returns true once kLooks consecutive observations found nothing running or pending. A
  // compaction that stays pending while nothing runs is ignored after kIdleLooks observations:
  // universal and FIFO compaction may request one and then find no files for it.
  bool Rests(const BackgroundWork& work);

  static constexpr int kLooks = 5;
  static constexpr int kIdleLooks = 100;

 private:
  const bool auto_compactions_;
  int quiet_ = 0;
  int idle_ = 0;
};

// Writes into a new database opened with GrowingOptions(), as fast as possible, and waits until it
// is idle. `progress` is also called while it waits. Returns an error if each key was written once
// but the tree has fewer keys, since FIFO compaction drops data above its size limit.
absl::Status GrowByRocksDB(const KeySet& keys, const WriteSequence& writes,
                           const TreeOptions& options, rocksdb::DB* db, GrowthProgress progress,
                           const AfterWrites& after = nullptr);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_ROCKSDB_GROWTH_H_
