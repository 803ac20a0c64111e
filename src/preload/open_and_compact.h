// Compaction worker: a process that compacts for another one, by DB::OpenAndCompact.

#ifndef WINNOW_SRC_PRELOAD_OPEN_AND_COMPACT_H_
#define WINNOW_SRC_PRELOAD_OPEN_AND_COMPACT_H_

#include <optional>
#include <string>

#include "src/preload/hook_types.h"
#include "src/rocksdb/ranges/key_order.h"
#include "src/rocksdb/remote/job_options.h"

namespace winnow::preload {

// One compaction, with the options that the program gave it. If these have no table factory, with
// which RocksDB terminates the process, the compaction gets the factory of the database's own
// options (winnow/rocksdb_remote_compaction.h). If WINNOW_ADD asks for it, it gets a filter policy,
// as in DB::Open. A listener or a compaction filter of one compaction may run another one, in the
// same thread.
//
// Reports compactions that still lose Winnow's filters, although the database's own options ask for
// them or can't be read: on stderr, once per process and reason, and in the worker's LOG when an
// inner call opens the database. If WINNOW_LOG is on, also reports the options in force.
class WorkerCompaction {
 public:
  // `name` and `input` are those of DB::OpenAndCompact. `given` is not changed, and must outlive
  // this object.
  WorkerCompaction(const std::string& name, const std::string& input,
                   const CompactionOverride& given);
  ~WorkerCompaction();
  WorkerCompaction(const WorkerCompaction&) = delete;
  WorkerCompaction& operator=(const WorkerCompaction&) = delete;

  // Returns an error if the compaction can't be done: RocksDB must not be called then.
  const Status& status() const { return status_; }
  const CompactionOverride& options() const { return changed_ ? *changed_ : given_; }

  // Returns the innermost compaction of this thread, or null if there is none.
  static const WorkerCompaction* Current() noexcept;
  // Writes the report about lost filters to the LOG of the database that was opened for this
  // compaction.
  void WriteTo(DB& database) const noexcept;

 private:
  Status Prepare();
  void AddPolicy(const std::string& name);
  void TellOfTree(const plugin::JobOptions& job) const;
  std::string FaultOfPolicy() const;
  void SayWhatIsInForce() const;
  CompactionOverride& changed() { return changed_ ? *changed_ : changed_.emplace(given_); }

  const std::string& name_;
  const std::string& input_;
  const CompactionOverride& given_;
  std::optional<CompactionOverride> changed_;
  std::string fault_;
  Status status_;
  const WorkerCompaction* const outer_;
  plugin::OrderOfJob outer_job_;  // job of this thread before
};

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_OPEN_AND_COMPACT_H_
