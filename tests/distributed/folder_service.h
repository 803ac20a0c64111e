// Compaction service of the primary, which passes jobs through a job folder.

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

// Puts each job into the folder, with what the policy has learned of all column families, and waits
// for a worker's result. After any failure RocksDB runs the job itself (kUseLocal): it treats
// kFailure as an error of the database, which then refuses writes until it is reopened.
//
// Checks the filter of every file that a worker returns (built_anew.h) before RocksDB installs it,
// and with a level plan also the worker's LOG.
class FolderService final : public rocksdb_abi::CompactionService {
 public:
  // patience: maximum time until a worker takes a job.
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
  std::vector<std::string> finished_;  // ids of jobs whose output RocksDB may not have moved yet
};

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_FOLDER_SERVICE_H_
