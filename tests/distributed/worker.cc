#include "tests/distributed/worker.h"

#include <rocksdb/compaction_filter.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "tests/distributed/job_folder.h"
#include "tests/stress/merge_operator.h"
#include "winnow/hash.h"
#include "winnow/rocksdb_remote_compaction.h"

namespace winnow::distributed {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactionServiceOptionsOverride;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

class KeyLoser final : public ROCKSDB_NAMESPACE::CompactionFilter {
 public:
  const char* Name() const override { return "KeyLoser"; }
  bool Filter(int, const Slice& key, const Slice&, std::string*, bool*) const override {
    return HashKey({key.data(), key.size()}).value % 1000 == 0;
  }
};

Status Prepare(const Job& job, WorkerPolicy policy, WorkerPlant plant,
               CompactionServiceOptionsOverride* options) {
  BlockBasedTableOptions table;
  switch (policy) {
    case WorkerPolicy::kJob:
      return PrepareOpenAndCompact(job.database, job.input,
                                   plant == WorkerPlant::kLostText ? "" : job.learned, options);
    case WorkerPolicy::kNull:
      return Status::OK();
    case WorkerPolicy::kBloom:
      table.filter_policy.reset(ROCKSDB_NAMESPACE::NewBloomFilterPolicy(10));
      break;
    case WorkerPolicy::kNone:
      break;
  }
  options->table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return Status::OK();
}

Result Compact(const Job& job, const std::string& output_folder, WorkerPolicy policy,
               WorkerPlant plant) {
  static const KeyLoser loser;
  CompactionServiceOptionsOverride options;
  options.merge_operator = stress::NewConcatenation();
  if (plant == WorkerPlant::kLostKeys) options.compaction_filter = &loser;
  Result result;
  Status status = Prepare(job, policy, plant, &options);
  if (status.ok()) {
    std::filesystem::create_directories(output_folder);
    status = ROCKSDB_NAMESPACE::DB::OpenAndCompact(job.database, output_folder, job.input,
                                                   &result.output, options);
  }
  if (!status.ok()) result.error = status.ToString();
  return result;
}

}  // namespace

std::optional<WorkerPolicy> WorkerPolicyNamed(const std::string& name) {
  if (name == "job") return WorkerPolicy::kJob;
  if (name == "none") return WorkerPolicy::kNone;
  if (name == "null") return WorkerPolicy::kNull;
  if (name == "bloom") return WorkerPolicy::kBloom;
  return std::nullopt;
}

WorkerPlant WorkerPlantNamed(const std::string& name) {
  if (name == "lost_keys") return WorkerPlant::kLostKeys;
  if (name == "failing_jobs") return WorkerPlant::kFailingJobs;
  if (name == "lost_text") return WorkerPlant::kLostText;
  return WorkerPlant::kNone;
}

int RunWorker(const std::string& folder, WorkerPolicy policy, WorkerPlant plant) {
  // RocksDB 9.7 to 11.0 opens the column family "default" by the OPTIONS file alone, and reads the
  // WAL, which needs the merge operator.
  stress::RegisterConcatenation();
  // The crash is expected, so no core is written.
  const rlimit no_core = {0, 0};
  if (policy == WorkerPolicy::kNull) setrlimit(RLIMIT_CORE, &no_core);
  JobFolder jobs(folder);
  bool is_next_failing = true;
  while (true) {
    if (const auto taken = jobs.Take()) {
      Result result = Compact(taken->job(), jobs.OutputOf(taken->id()), policy, plant);
      if (plant == WorkerPlant::kFailingJobs && is_next_failing) result = {"planted", ""};
      is_next_failing = !is_next_failing;
      taken->Finish(result);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

}  // namespace winnow::distributed
