// Compaction service of tests of remote compactions.

#ifndef WINNOW_TESTS_ROCKSDB_REMOTE_WORKERS_H_
#define WINNOW_TESTS_ROCKSDB_REMOTE_WORKERS_H_

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/files.h"
#include "third_party/rocksdb_abi/compaction_service.h"
#include "winnow/rocksdb_remote_compaction.h"

namespace winnow::plugin {

// Runs OpenAndCompact in this process, for one job at a time.
class Workers final : public rocksdb_abi::CompactionService {
 public:
  // The folder receives a folder for each job.
  explicit Workers(std::string folder) : folder_(std::move(folder)) {}
  const char* Name() const override { return "workers"; }

  // Returns the learned text that accompanies each job.
  std::function<std::string(const Job&)> learned = [](const Job&) { return std::string(); };
  // That of workers that do not call PrepareOpenAndCompact; null for those that do.
  std::shared_ptr<ROCKSDB_NAMESPACE::TableFactory> unprepared;
  bool works = true;  // false: RocksDB runs the job locally

  // State of the last job.
  std::string name;
  std::string input;
  std::string text;
  std::string log;
  std::shared_ptr<ROCKSDB_NAMESPACE::TableFactory> factory;
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefixes;
  ROCKSDB_NAMESPACE::Status status;
  int done = 0;

  JobStatus Start(const std::string&, const Job& job, const std::string& job_input) override {
    name = job.db_name;
    input = job_input;
    text = learned(job);
    return works ? JobStatus::kSuccess : JobStatus::kUseLocal;
  }

  JobStatus Finish(const std::string& id, std::string* output) override {
    ROCKSDB_NAMESPACE::CompactionServiceOptionsOverride options;
    options.table_factory = unprepared;
    status = unprepared == nullptr ? PrepareOpenAndCompact(name, input, text, &options)
                                   : ROCKSDB_NAMESPACE::Status::OK();
    if (!status.ok()) return JobStatus::kUseLocal;
    factory = options.table_factory;
    prefixes = options.prefix_extractor;
    const std::string folder = folder_ + "/" + id;
    status = ROCKSDB_NAMESPACE::DB::OpenAndCompact(name, folder, input, output, options);
    log = testing::ReadFile(folder + "/LOG");
    if (!status.ok()) return JobStatus::kUseLocal;
    ++done;
    return JobStatus::kSuccess;
  }

 private:
  const std::string folder_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_TESTS_ROCKSDB_REMOTE_WORKERS_H_
