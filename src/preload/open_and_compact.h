// A compaction worker: a process that compacts for another one, by DB::OpenAndCompact.

#ifndef WINNOW_SRC_PRELOAD_OPEN_AND_COMPACT_H_
#define WINNOW_SRC_PRELOAD_OPEN_AND_COMPACT_H_

#include <optional>
#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// One compaction with what the program gave it. Where that has no table factory, by which RocksDB
// ends the process, it gets that of the database's own options
// (winnow/rocksdb_remote_compaction.h); and where WINNOW_ADD asks for it, a filter policy as in
// DB::Open.
//
// Says on stderr what then remains without Winnow's filters, though the database's own options ask
// for them or can't be had, once in a process for each way to lose them, and in the worker's LOG
// where an inner call shows it; and what is in force where WINNOW_LOG is on.
class WorkerCompaction {
 public:
  // name, input: as DB::OpenAndCompact has them. `given` is not changed, and lives as long.
  WorkerCompaction(const std::string& name, const std::string& input,
                   const CompactionOverride& given);
  ~WorkerCompaction();
  WorkerCompaction(const WorkerCompaction&) = delete;
  WorkerCompaction& operator=(const WorkerCompaction&) = delete;

  // Why it can't be: then RocksDB is not to be called.
  const Status& status() const { return status_; }
  const CompactionOverride& options() const { return changed_ ? *changed_ : given_; }

  // The compaction of this thread, which RocksDB is called by; null if it has none.
  static const WorkerCompaction* Current() noexcept;
  // The database was opened for it: has its LOG say what remains without filters.
  void WriteTo(DB& database) const noexcept;

 private:
  Status Prepare();
  void AddPolicy();
  void AddRangeExtractor();
  void TellOfTree() const;
  std::string FaultOfPolicy() const;
  void SayWhatIsInForce() const;

  const std::string& name_;
  const std::string& input_;
  const CompactionOverride& given_;
  std::optional<CompactionOverride> changed_;
  std::string fault_;
  Status status_;
  const WorkerCompaction* const outer_;
};

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_OPEN_AND_COMPACT_H_
