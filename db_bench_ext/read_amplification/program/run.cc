#include "db_bench_ext/read_amplification/program/run.h"

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/env.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "db_bench_ext/read_amplification/lookups/files_considered.h"
#include "db_bench_ext/read_amplification/lookups/lookup_counts.h"
#include "db_bench_ext/read_amplification/program/examined_files.h"
#include "db_bench_ext/read_amplification/trees/build_cost.h"
#include "db_bench_ext/read_amplification/trees/range_parts.h"
#include "src/rocksdb/counters.h"

namespace winnow::bench {
namespace {

// Returns a folder name from the policy, without characters that are special to shells and file
// systems.
std::string FolderName(size_t number, const std::string& policy) {
  std::string name = absl::StrCat(number, "-", policy);
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  }
  return name.substr(0, 100);
}

std::map<int, double> FilesConsideredByLevel(const LevelFiles& levels, const Lookups& lookups) {
  std::map<int, double> files;
  for (size_t level = 0; level < levels.size(); ++level) {
    if (levels[level].empty()) continue;
    LevelFiles alone(levels.size());
    alone[level] = levels[level];
    files[static_cast<int>(level)] = FilesConsideredPerLookup(alone, lookups);
  }
  return files;
}

class Runner {
 public:
  Runner(const RunOptions& options, const std::vector<Policy>& policies, const RunData& data,
         cli::ProgressLine* progress, const std::atomic<bool>* stop)
      : options_(options),
        policies_(policies),
        data_(data),
        progress_(progress),
        stop_(stop),
        results_(policies.size()) {}

  absl::StatusOr<std::vector<inspect::PolicyResult>> Run(WorkFolder* folder) {
    for (size_t i = 0; i < policies_.size(); ++i) {
      absl::StatusOr<std::string> path = folder->MakeChild(FolderName(i + 1, policies_[i].asked));
      if (!path.ok()) return path.status();
      paths_.push_back(*std::move(path));
    }
    // All databases of a process share RocksDB's background threads: a compaction that waits for
    // those of another database would look like idle time.
    for (const auto priority : {rocksdb::Env::Priority::LOW, rocksdb::Env::Priority::HIGH}) {
      rocksdb::Env* const env = rocksdb::Env::Default();
      env->SetBackgroundThreads(
          std::max({env->GetBackgroundThreads(priority), 2, options_.tree.max_background_jobs}),
          priority);
    }
    for (size_t i = 0; i < policies_.size(); ++i) {
      if (absl::Status status = GrowAndCount(i); !status.ok()) return status;
    }
    if (absl::Status status = TimeAll(); !status.ok()) return status;
    return std::move(results_);
  }

 private:
  absl::Status Grow(size_t i) {
    std::optional<GrowthLookups> lookups;
    AfterWrites after;
    if (data_.heat != nullptr) {
      lookups.emplace(*data_.heat, data_.writes);
      after = [&](rocksdb::DB* db, uint64_t written) { return lookups->After(db, written); };
    }
    absl::Status status = GrowTree(
        data_.keys, data_.writes, options_.tree, policies_[i], paths_[i],
        [&](uint64_t done) { return Continue(i, "growing", done, data_.writes.size()); }, after);
    if (status.ok() && lookups) results_[i].growth = lookups->intervals();
    return status;
  }

  absl::Status GrowAndCount(size_t i) {
    const auto begin = std::chrono::steady_clock::now();
    absl::Status status = Grow(i);
    if (!status.ok()) return status;
    results_[i].load_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

    status = Examine(i);
    for (size_t w = 0; status.ok() && w < data_.workloads.size(); ++w) status = Count(i, w);
    return status;
  }

  // Examines the files: shape of the tree, and proof that the policy is in force.
  absl::Status Examine(size_t i) {
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db =
        OpenTree(options_.tree, policies_[i], paths_[i]);
    if (!db.ok()) return db.status();
    const LevelFiles levels = FilesByLevel(db->get());
    inspect::PolicyResult& result = results_[i];
    std::vector<RangeOfFilter> filters;
    absl::Status examined = ExamineFiles({options_.tree, policies_[i], paths_[i], levels}, stop_,
                                         &result, data_.heat == nullptr ? nullptr : &filters);
    if (!examined.ok()) return examined;
    db->get()->GetIntProperty(rocksdb::DB::Properties::kTotalSstFilesSize, &result.file_bytes);
    result.range = PartsOfRange(filters, data_.keys.size());
    if (absl::Status status = CheckKeys(result); !status.ok()) return status;
    for (const Lookups& lookups : data_.workloads) {
      inspect::WorkloadResult workload;
      workload.name = lookups.name;
      workload.remark = lookups.remark;
      workload.files_considered_per_lookup = FilesConsideredPerLookup(levels, lookups);
      workload.files_considered_by_level = FilesConsideredByLevel(levels, lookups);
      result.workloads.push_back(std::move(workload));
    }
    absl::StatusOr<std::optional<inspect::BuildCost>> build =
        MeasureBuildCost(policies_[i], result.tree, static_cast<int>(levels.size()), data_.keys,
                         db->get()->GetDBOptions().info_log.get());
    if (!build.ok()) return build.status();
    result.build = *build;
    return absl::OkStatus();
  }

  // A key that was written repeatedly may be present once for each write, on several levels.
  absl::Status CheckKeys(const inspect::PolicyResult& result) const {
    const uint64_t fewest = data_.written.count();
    const uint64_t most = data_.writes.EachOnce() ? fewest : data_.writes.size();
    if (result.keys >= fewest && result.keys <= most) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("the tree of '", result.policy, "' has ", result.keys,
                                            " keys, but ", fewest, " different ones were written, ",
                                            data_.writes.size(), " writes in all"));
  }

  absl::Status Count(size_t i, size_t w) {
    const Lookups& lookups = data_.workloads[w];
    const bool ours = absl::StartsWith(results_[i].in_force, "winnow");
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db =
        OpenTree(options_.tree, policies_[i], paths_[i], NewTickers());
    if (!db.ok()) return db.status();
    const plugin::Counters before = plugin::CurrentCounters();
    PassOptions pass;
    pass.threads = options_.threads;
    pass.lookups = lookups.count;
    absl::StatusOr<inspect::WorkloadCounts> counts =
        CountLookups(db->get(), lookups, pass,
                     [&](uint64_t done) { return Continue(i, lookups.name, done, lookups.count); });
    if (!counts.ok()) return counts.status();
    const plugin::Counters after = plugin::CurrentCounters();
    Continue(i, lookups.name, 1, 1);

    if (ours) {
      // A preloaded plugin has separate counters, so that these remain unchanged.
      const uint64_t asked = after.lookups - before.lookups;
      if (asked != 0 && asked != counts->filter_checks) {
        return absl::InternalError(absl::StrCat("RocksDB counted ", counts->filter_checks,
                                                " filter checks of ", lookups.name, " with '",
                                                policies_[i].asked, "', and Winnow ", asked,
                                                ": one of the two is wrong, so nothing is said"));
      }
      if (asked != 0) {
        counts->hashes = after.hashes - before.hashes;
        counts->hashes_shared = after.hashes_shared - before.hashes_shared;
      }
    } else if (policies_[i].object == nullptr || IsBuiltin(results_[i].in_force)) {
      counts->hashes = counts->filter_checks;  // built-in readers hash the key for each check
      counts->hashes_shared = 0;
    }
    // Seeks check only prefix filters, which may be missing, and keys outside the range of all
    // files check no filter.
    if (policies_[i].object != nullptr && lookups.kind != LookupKind::kSeek &&
        lookups.kind != LookupKind::kScan &&
        results_[i].workloads[w].files_considered_per_lookup > 0 && counts->filter_checks == 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("the policy '", policies_[i].asked,
                       "' is not in force, so nothing is said of it: its files have filters, but "
                       "no lookup asked them"));
    }
    results_[i].workloads[w].counts = *std::move(counts);
    return absl::OkStatus();
  }

  // Background load varies: the policies alternate, so that it affects all of them, and the median
  // excludes the most affected rounds.
  absl::Status TimeAll() {
    if (options_.timed_rounds == 0) return absl::OkStatus();
    for (size_t w = 0; w < data_.workloads.size(); ++w) {
      std::vector<std::vector<inspect::WorkloadTimes>> rounds(policies_.size());
      for (size_t round = 0; round < options_.timed_rounds; ++round) {
        for (size_t i = 0; i < policies_.size(); ++i) {
          absl::StatusOr<inspect::WorkloadTimes> times = Time(i, w, round);
          if (!times.ok()) return times.status();
          rounds[i].push_back(*std::move(times));
        }
      }
      for (size_t i = 0; i < policies_.size(); ++i) {
        results_[i].workloads[w].times = MedianRound(rounds[i]);
      }
    }
    return absl::OkStatus();
  }

  // Every round looks up the same keys, and begins with an empty block cache.
  absl::StatusOr<inspect::WorkloadTimes> Time(size_t i, size_t w, size_t round) {
    const Lookups& lookups = data_.workloads[w];
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db =
        OpenTree(options_.tree, policies_[i], paths_[i]);
    if (!db.ok()) return db.status();
    const std::string job =
        absl::StrCat("timing ", lookups.name, " ", round + 1, "/", options_.timed_rounds);
    PassOptions pass;
    pass.threads = options_.threads;
    pass.lookups = options_.timed_reads;
    pass.seconds = options_.timed_seconds;
    return TimeLookups(db->get(), lookups, pass, [&](uint64_t done) {
      return Continue(i, job, done, std::min(options_.timed_reads, lookups.count));
    });
  }

  static bool IsBuiltin(const std::string& name) {
    return name == "bloomfilter" || name == "ribbonfilter";
  }

  bool Continue(size_t i, const std::string& what, uint64_t done, uint64_t total) {
    progress_->Set(absl::StrCat(policies_[i].asked, " ", what), done, total);
    return !*stop_;
  }

  const RunOptions& options_;
  const std::vector<Policy>& policies_;
  const RunData& data_;
  cli::ProgressLine* const progress_;
  const std::atomic<bool>* const stop_;
  std::vector<std::string> paths_;
  std::vector<inspect::PolicyResult> results_;
};

}  // namespace

absl::StatusOr<std::vector<inspect::PolicyResult>> Run(const RunOptions& options,
                                                       const std::vector<Policy>& policies,
                                                       const RunData& data, WorkFolder* folder,
                                                       cli::ProgressLine* progress,
                                                       const std::atomic<bool>* stop) {
  return Runner(options, policies, data, progress, stop).Run(folder);
}

}  // namespace winnow::bench
