// How the listener finds files that compaction workers wrote.

#include <rocksdb/options.h>

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/rocksdb/listener/listener.h"
#include "src/rocksdb/policy.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::CompactionFileInfo;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::TableFileCreationInfo;
using ROCKSDB_NAMESPACE::TableProperties;

// The lock is held.
void Listener::NoteWritten(Database* database, const TableFileCreationInfo& info,
                           bool was_built_by_ours) {
  const TableProperties& properties = info.table_properties;
  // If a file has no filter and its policy has RocksDB's name, the policy may be an interposed one
  // that leaves out the last level.
  if (was_built_by_ours || properties.filter_policy_name == Policy::kName) {
    database->builds_ours[info.cf_name] = true;
  } else if (properties.filter_size > 0 || properties.filter_policy_name.empty()) {
    database->builds_ours[info.cf_name] = false;
  }
  // Jobs of a worker neither begin nor end for a listener.
  const auto job = database->jobs.find(info.job_id);
  if (job != database->jobs.end() &&
      info.reason == ROCKSDB_NAMESPACE::TableFileCreationReason::kCompaction) {
    job->second.written.insert(NumberIn(info.file_path));
  }
}

// The lock is held. What our policy knows that builds the column family's filters here; null if
// none of ours does, or if that is not known.
std::shared_ptr<KnownFiles> Listener::BuilderOf(const Database& database,
                                                const CompactionJobInfo& info) const {
  const std::shared_ptr<KnownFiles> known = KnownOf(info.cf_name);
  const auto builds = database.builds_ours.find(info.cf_name);
  if (known == nullptr || builds != database.builds_ours.end()) {
    return builds == database.builds_ours.end() || builds->second ? known : nullptr;
  }
  if (served_.count(info.cf_name) > 0) return known;
  const bool had_ours = std::any_of(
      info.input_files.begin(), info.input_files.end(), [&info](const std::string& file) {
        const auto found = info.table_properties.find(file);
        return found != info.table_properties.end() && found->second != nullptr &&
               found->second->filter_policy_name == Policy::kName;
      });
  return had_ours ? known : nullptr;
}

// A file that was not written here is a worker's, or an input that was moved.
void Listener::LookAtRemoteOutputs(DB* opened, const CompactionJobInfo& info) noexcept {
  try {
    Job job;
    bool is_its = false;  // the family has the policy that knows, and no other one of ours
    std::shared_ptr<KnownFiles> known;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      Database& database = Find(opened->GetName());
      const auto begun = database.jobs.find(info.job_id);
      if (begun == database.jobs.end()) return;
      job = std::move(begun->second);
      database.jobs.erase(begun);
      if (!info.status.ok()) return;
      for (const CompactionFileInfo& file : info.input_file_infos) {
        job.written.insert(file.file_number);
      }
      if (std::all_of(info.output_files.begin(), info.output_files.end(),
                      [&](const auto& path) { return job.written.count(NumberIn(path)) > 0; })) {
        return;
      }
      const auto wrote = database.is_ours.find(info.cf_name);
      is_its = wrote != database.is_ours.end() && wrote->second;
      database.is_stale = true;
      known = BuilderOf(database, info);
    }
    if (known == nullptr) return;
    // Without a compaction service, RocksDB copied the files.
    const ROCKSDB_NAMESPACE::DBOptions options = opened->GetDBOptions();
    if (WINNOW_ROCKSDB_SHOWS_COMPACTION_SERVICE && options.compaction_service == nullptr) return;
    const bool all_have_filters = known->trees.AllHaveFilters();
    // For one file only, as its filter must be read for that, and a job has the same options for
    // all its files.
    const std::vector<RateRange> rates =
        is_its ? known->rates.Since(job.begin, Clock::now()) : std::vector<RateRange>();
    bool has_rates = false;
    std::vector<std::string> others;
    std::vector<RemoteOutput> files;
    for (const std::string& path : info.output_files) {
      if (job.written.count(NumberIn(path)) > 0) continue;
      const auto found = info.table_properties.find(path);
      // Up to 9.7, RocksDB does not give the properties of such a file.
      const bool has_ours = found != info.table_properties.end() && found->second != nullptr &&
                            found->second->filter_policy_name == Policy::kName &&
                            FaultOfOutput(*found->second, false, all_have_filters).empty();
      if (has_ours && (rates.empty() || found->second->filter_size == 0)) continue;
      if (has_rates && others.size() < RemoteOutput::kMaxOthers) others.push_back(path);
      if (has_rates && has_ours) continue;
      files.push_back({path, info.cf_name, all_have_filters});
      if (!std::exchange(has_rates, true)) files.back().rates = rates;
    }
    if (files.empty()) return;
    files.front().others = std::move(others);
    remote_outputs_.Look(
        {opened->DefaultColumnFamily(), opened->GetEnv(), options.info_log, opened->GetName()},
        std::move(files));
  } catch (...) {
    // Memory is short.
  }
}

}  // namespace winnow::plugin
