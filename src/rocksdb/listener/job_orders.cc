#include "src/rocksdb/listener/job_orders.h"

#include <rocksdb/table_properties.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushJobInfo;
using ROCKSDB_NAMESPACE::TableFileCreationBriefInfo;
using ROCKSDB_NAMESPACE::TableFileCreationInfo;

namespace {

// Table property that only files of SstFileWriter have.
constexpr char kExternalVersion[] = "rocksdb.external_sst_file.version";

// Returns the key order by the input files that the database itself wrote; unknown if there are
// none, or if the properties of an input are missing.
KeyOrder OrderOfInputs(const CompactionJobInfo& info) {
  KeyOrder order = KeyOrder::kUnknown;
  for (const std::string& file : info.input_files) {
    const auto found = info.table_properties.find(file);
    if (found == info.table_properties.end() || found->second == nullptr) {
      return KeyOrder::kUnknown;
    }
    if (found->second->user_collected_properties.count(kExternalVersion) > 0) continue;
    if (OrderOf(found->second->comparator_name) == KeyOrder::kOther) return KeyOrder::kOther;
    order = KeyOrder::kBytewise;
  }
  return order;
}

}  // namespace

void JobOrders::Begins(DB* database, const FlushJobInfo& info) {
  Begin(database, {info.cf_name, info.cf_id, info.job_id, KeyOrder::kUnknown}, nullptr);
}

void JobOrders::Begins(DB* database, const CompactionJobInfo& info) {
  Begin(database, {info.cf_name, info.cf_id, info.job_id, KeyOrder::kUnknown}, &info);
}

void JobOrders::Begin(DB* database, Job job, const CompactionJobInfo* compaction) {
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    Session& session = Find(database);
    KeyOrder& family = session.families[job.family_id].order;
    if (job.family_id == 0) {
      family = OrderOf(database->DefaultColumnFamily()->GetComparator()->Name());
    } else if (compaction != nullptr && family == KeyOrder::kUnknown) {
      family = OrderOfInputs(*compaction);
    }
    job.order = family;
    if (session.jobs.size() >= kMaxJobs) session.jobs.erase(session.jobs.begin());
    session.jobs.push_back(std::move(job));
  } catch (...) {
    // The job's files must not be taken for those of another database with this path.
    if (sessions_.count(database->DefaultColumnFamily()) == 0) is_lost_ = true;
  }
}

void JobOrders::Ends(DB* database, int job, uint32_t family) {
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    std::vector<Job>& jobs = Find(database).jobs;
    jobs.erase(std::remove_if(
                   jobs.begin(), jobs.end(),
                   [&](const Job& known) { return known.id == job && known.family_id == family; }),
               jobs.end());
  } catch (...) {
    // The job stays until the database is closed.
  }
}

JobOrders::Session& JobOrders::Find(DB* database) {
  std::string id;
  const bool has_id = database->GetDbSessionId(id).ok() && !id.empty();
  Session fresh{id, database->GetName(), {}, {}};
  Session& found = sessions_[database->DefaultColumnFamily()];
  // The end of a database with this handle may have passed unseen.
  if (!has_id || found.id != id) found = std::move(fresh);
  if (!has_id) throw std::runtime_error("a database without a session");
  return found;
}

// Returns nulls if the job is unknown or ambiguous.
JobOrders::Found JobOrders::FindJob(const TableFileCreationBriefInfo& info) {
  Session* of_path = nullptr;
  for (auto& [handle, session] : sessions_) {
    if (session.path != info.db_name) continue;
    if (of_path != nullptr) return {};
    of_path = &session;
  }
  if (is_lost_ || of_path == nullptr) return {};
  const auto job =
      std::find_if(of_path->jobs.begin(), of_path->jobs.end(), [&info](const Job& known) {
        return known.id == info.job_id && known.family == info.cf_name;
      });
  return job == of_path->jobs.end() ? Found() : Found{of_path, &*job};
}

KeyOrder JobOrders::Of(const TableFileCreationBriefInfo& info) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Found found = FindJob(info);
  return found.job == nullptr ? KeyOrder::kUnknown : found.job->order;
}

void JobOrders::Learn(const TableFileCreationInfo& info) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Found found = FindJob(info);
  if (found.job == nullptr) return;
  found.session->families[found.job->family_id].order =
      OrderOf(info.table_properties.comparator_name);
}

void JobOrders::Learn(DB* database, ColumnFamilyHandle* handle) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Find(database).families[handle->GetID()].order = OrderOf(handle->GetComparator()->Name());
}

void JobOrders::Closed(const ColumnFamilyHandle* handle) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  sessions_.erase(handle);
}

}  // namespace winnow::plugin
