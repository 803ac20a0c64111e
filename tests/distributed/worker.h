// A process that takes compactions from a job folder, one after the other.

#ifndef WINNOW_TESTS_DISTRIBUTED_WORKER_H_
#define WINNOW_TESTS_DISTRIBUTED_WORKER_H_

#include <optional>
#include <string>

namespace winnow::distributed {

// Where its filters come from.
enum class WorkerPolicy {
  kJob,    // from the job, by winnow::PrepareOpenAndCompact
  kNone,   // a table factory without a policy
  kNull,   // no table factory: RocksDB ends by a signal
  kBloom,  // NewBloomFilterPolicy(10)
};

// "job", "none", "null", "bloom"; unset for any other word.
std::optional<WorkerPolicy> WorkerPolicyNamed(const std::string& name);

// Faults that must be found.
enum class WorkerPlant {
  kNone,
  kLostKeys,     // one key in 1000 does not come back
  kFailingJobs,  // one job in two is given back with an error
  kLostText,     // what came with the job of its tree is not used
};

// "", "lost_keys", "failing_jobs", "lost_text"; kNone for any other word.
WorkerPlant WorkerPlantNamed(const std::string& name);

// Until it is killed.
int RunWorker(const std::string& folder, WorkerPolicy policy, WorkerPlant plant);

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_WORKER_H_
