// The primary's end of a job folder, as RocksDB calls it.

#ifndef WINNOW_TESTS_DISTRIBUTED_FOLDER_SERVICE_H_
#define WINNOW_TESTS_DISTRIBUTED_FOLDER_SERVICE_H_

#include <rocksdb/filter_policy.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/distributed/built_anew.h"
#include "tests/distributed/events.h"
#include "tests/distributed/job_folder.h"
#include "third_party/rocksdb_abi/compaction_service.h"

namespace winnow::distributed {

// Puts each job into the folder, with what the policy has learned of all families, and waits for
// what a worker makes of it. Whatever goes wrong there, RocksDB is to compact by itself
// (kUseLocal): it takes kFailure for an error of the database, which writes no more until it is
// opened again.
//
// Every file that comes back is looked at (built_anew.h) before RocksDB has it, and with a level
// plan the worker's LOG.
class FolderService final : public rocksdb_abi::CompactionService {
 public:
  // patience: how long a job waits for somebody to take it.
  FolderService(const std::string& folder, Events* events,
                std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy,
                std::chrono::milliseconds patience, const Recipe& recipe);

  const char* Name() const override { return "winnow.FolderService"; }
  JobStatus Start(const std::string& id, const Job& job, const std::string& input) override;
  JobStatus Finish(const std::string& id, std::string* output) override;

 private:
  JobStatus Await(const std::string& id, std::string* output);
  void LookAt(const std::string& id);
  void LookAtLog(const std::string& id);
  void ForgetThoseMoved();

  JobFolder jobs_;
  Events* const events_;
  const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy_;
  const std::chrono::milliseconds patience_;
  const Recipe recipe_;
  std::mutex mutex_;
  std::vector<std::string> finished_;  // whose output RocksDB may not have moved yet
};

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_FOLDER_SERVICE_H_
