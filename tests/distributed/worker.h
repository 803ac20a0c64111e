// A process that takes compactions from a job folder and runs them one by one.

#ifndef WINNOW_TESTS_DISTRIBUTED_WORKER_H_
#define WINNOW_TESTS_DISTRIBUTED_WORKER_H_

#include <optional>
#include <string>

namespace winnow::distributed {

// Source of the worker's filter policy.
enum class WorkerPolicy {
  kJob,    // the job, by winnow::PrepareOpenAndCompact
  kNone,   // none: a table factory without a policy
  kNull,   // no table factory: RocksDB crashes
  kBloom,  // NewBloomFilterPolicy(10)
};

// Returns the policy for "job", "none", "null" or "bloom"; nullopt for any other name.
std::optional<WorkerPolicy> WorkerPolicyNamed(const std::string& name);

// Planted faults, which the test must find.
enum class WorkerPlant {
  kNone,
  kLostKeys,     // one key in 1000 is lost
  kFailingJobs,  // every second job returns an error
  kLostText,     // the job's learned text is not used
};

// Returns the fault for "", "lost_keys", "failing_jobs" or "lost_text"; kNone for any other name.
WorkerPlant WorkerPlantNamed(const std::string& name);

// Runs jobs until the process is killed.
int RunWorker(const std::string& folder, WorkerPolicy policy, WorkerPlant plant);

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_WORKER_H_
