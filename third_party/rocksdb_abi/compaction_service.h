// A service that passes compactions to other processes, with one interface for all versions of
// RocksDB.
//
// Up to 9.0, RocksDB calls StartV2 and WaitForCompleteV2 with facts about the job; from 9.1 on,
// Schedule and Wait with an id from the service. 9.1 to 9.9 still declare the former and never call
// them. The ids here are equal in all versions.
//
// Files that include this derive from a RocksDB class: compile them with
// winnow_rocksdb_class_flags.

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_COMPACTION_SERVICE_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_COMPACTION_SERVICE_H_

#include <rocksdb/options.h>

#include <string>

#include "third_party/rocksdb_abi/version_at_least.h"

namespace winnow::rocksdb_abi {

// Compaction service. RocksDB calls both functions from its compaction threads, concurrently.
class CompactionService : public ROCKSDB_NAMESPACE::CompactionService {
 public:
  using Job = ROCKSDB_NAMESPACE::CompactionServiceJobInfo;
  using JobStatus = ROCKSDB_NAMESPACE::CompactionServiceJobStatus;

  // Takes a job whose input is for DB::OpenAndCompact. `id` is unique per job, usable as a file
  // name, and passed to Finish again. Returns kSuccess if taken, or kUseLocal to let RocksDB do the
  // job itself.
  virtual JobStatus Start(const std::string& id, const Job& job, const std::string& input) = 0;

  // Waits for a job that was taken. Returns kSuccess with *output set to the output of
  // DB::OpenAndCompact, or kUseLocal to let RocksDB do the job itself.
  virtual JobStatus Finish(const std::string& id, std::string* output) = 0;

#if WINNOW_ROCKSDB_AT_LEAST(9, 1)
  ROCKSDB_NAMESPACE::CompactionServiceScheduleResponse Schedule(const Job& job,
                                                                const std::string& input) final {
    const std::string id = IdOf(job);
    const JobStatus status = Start(id, job, input);
    return ROCKSDB_NAMESPACE::CompactionServiceScheduleResponse(id, status);
  }
  JobStatus Wait(const std::string& id, std::string* output) final { return Finish(id, output); }
#else
  JobStatus StartV2(const Job& job, const std::string& input) final {
    return Start(IdOf(job), job, input);
  }
  JobStatus WaitForCompleteV2(const Job& job, std::string* output) final {
    return Finish(IdOf(job), output);
  }
#endif

 private:
  // Returns a unique id: RocksDB numbers the jobs of a database session, which has an id of letters
  // and digits.
  static std::string IdOf(const Job& job) {
    return job.db_session_id + "-" + std::to_string(job.job_id);
  }
};

}  // namespace winnow::rocksdb_abi

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_COMPACTION_SERVICE_H_
