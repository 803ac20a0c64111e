// Detection, by the listener, of files that compaction workers wrote.

#include <rocksdb/options.h>

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/rocksdb/listener/listener.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy.h"
#include "src/rocksdb/remote/remote_outputs.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::CompactionFileInfo;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::TableFileCreationInfo;
using ROCKSDB_NAMESPACE::TableProperties;

namespace {

constexpr auto kBetweenLostFilters = std::chrono::minutes(10);

}  // namespace

// Records a file that was written here. The lock is held.
void Listener::NoteWritten(Database* database, const TableFileCreationInfo& info,
                           bool was_built_by_ours) {
  const TableProperties& properties = info.table_properties;
  // If a file has no filter and names RocksDB's policy, this policy may be an interposed one that
  // leaves out the last level: then builds_ours stays.
  if (was_built_by_ours || properties.filter_policy_name == Policy::kName) {
    database->builds_ours[info.cf_name] = true;
  } else if (properties.filter_size > 0 || properties.filter_policy_name.empty()) {
    database->builds_ours[info.cf_name] = false;
  }
  // Listeners are not told when a worker's jobs begin and end, so these are not in `written`.
  const auto job = database->written.find(info.job_id);
  if (job != database->written.end() &&
      info.reason == ROCKSDB_NAMESPACE::TableFileCreationReason::kCompaction) {
    job->second.insert(NumberIn(info.file_path));
  }
}

// Returns the known files of Winnow's policy that builds the column family's filters here; null if
// there is none or it is unknown. The lock is held.
std::shared_ptr<KnownFiles> Listener::BuilderOf(const Database& database,
                                                const CompactionJobInfo& info) const {
  const std::shared_ptr<KnownFiles> known = KnownOf(database.path, info.cf_name);
  const auto builds = database.builds_ours.find(info.cf_name);
  if (known == nullptr || builds != database.builds_ours.end()) {
    return builds == database.builds_ours.end() || builds->second ? known : nullptr;
  }
  if (ServedAs(database.path, info.cf_name) != nullptr) return known;
  const bool had_ours = std::any_of(
      info.input_files.begin(), info.input_files.end(), [&info](const std::string& file) {
        const auto found = info.table_properties.find(file);
        return found != info.table_properties.end() && found->second != nullptr &&
               found->second->filter_policy_name == Policy::kName;
      });
  return had_ours ? known : nullptr;
}

// Checks output files of a compaction that were not written here: they are a worker's, or an input
// that was moved. RocksDB calls this in the compaction's thread, without its mutex, and closes the
// database only after it.
void Listener::LookAtRemoteOutputs(DB* opened, const CompactionJobInfo& info) noexcept {
  try {
    RemoteJob job;
    std::shared_ptr<KnownFiles> known;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      Database& database = Find(opened->GetName());
      const auto begun = database.written.find(info.job_id);
      if (begun == database.written.end()) return;
      std::unordered_set<uint64_t> others = std::move(begun->second);
      database.written.erase(begun);
      if (!info.status.ok()) return;
      for (const CompactionFileInfo& file : info.input_file_infos) others.insert(file.file_number);
      for (const std::string& path : info.output_files) {
        if (others.count(NumberIn(path)) == 0) job.paths.push_back(path);
      }
      if (job.paths.empty()) return;
      database.is_stale = true;
      known = BuilderOf(database, info);
    }
    if (known == nullptr) return;
    // Without a compaction service, RocksDB copied the files.
    const ROCKSDB_NAMESPACE::DBOptions options = opened->GetDBOptions();
    if (WINNOW_ROCKSDB_SHOWS_COMPACTION_SERVICE && options.compaction_service == nullptr) return;
    job.env = opened->GetEnv();
    job.folder = opened->GetName();
    job.family = info.cf_name;
    job.all_have_filters = known->trees.AllHaveFilters(options.info_log.get(), info.cf_name);
    Look(opened);  // the trees get the outputs before files are read
    const std::string line = LostFilterLine(job);
    if (line.empty()) return;
    ROCKSDB_NAMESPACE::Logger* const log = options.info_log.get();
    const bool is_news =
        lost_filters_.Write(log, ROCKSDB_NAMESPACE::InfoLogLevel::WARN_LEVEL, kBetweenLostFilters,
                            true, Clock::now(), [&] { return line; });
    if (log != nullptr && !is_news) return;
    if (IsLogging()) SayOnStderr(line);
  } catch (...) {
    // Out of memory.
  }
}

}  // namespace winnow::plugin
