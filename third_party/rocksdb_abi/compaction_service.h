// A service that hands compactions to other processes, with one interface for every RocksDB.
//
// Up to 9.0 RocksDB calls StartV2 and WaitForCompleteV2 with what it tells of the job, from 9.1 on
// Schedule and Wait with an id that the service gives. 9.1 to 9.9 still declare the former and
// never call them. The ids here are the same in all of them.
//
// Whoever includes this derives from a RocksDB class: compile it with winnow_rocksdb_class_flags.

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_COMPACTION_SERVICE_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_COMPACTION_SERVICE_H_

#include <rocksdb/options.h>

#include <string>

#include "third_party/rocksdb_abi/version_at_least.h"

namespace winnow::rocksdb_abi {

// RocksDB calls both from the threads of its compactions, from several at a time.
class CompactionService : public ROCKSDB_NAMESPACE::CompactionService {
 public:
  using Job = ROCKSDB_NAMESPACE::CompactionServiceJobInfo;
  using JobStatus = ROCKSDB_NAMESPACE::CompactionServiceJobStatus;

  // Takes a job whose input is for DB::OpenAndCompact; `id` is another for every job, may name a
  // file, and comes again in Finish. kSuccess: taken; kUseLocal: RocksDB does it itself.
  virtual JobStatus Start(const std::string& id, const Job& job, const std::string& input) = 0;

  // Waits for a job that was taken. kSuccess: *output is what DB::OpenAndCompact gave; kUseLocal:
  // RocksDB does it itself.
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
  // RocksDB numbers the jobs of one opening of a database, which has an id of letters and digits.
  static std::string IdOf(const Job& job) {
    return job.db_session_id + "-" + std::to_string(job.job_id);
  }
};

}  // namespace winnow::rocksdb_abi

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_COMPACTION_SERVICE_H_
