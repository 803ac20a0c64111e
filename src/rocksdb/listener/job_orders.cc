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

// Each open database has another one, and so a database without one is an error.
std::string SessionOf(DB* database) {
  std::string session;
  if (!database->GetDbSessionId(session).ok() || session.empty()) {
    throw std::runtime_error("a database without a session");
  }
  return session;
}

// The order by the inputs that the database wrote; unknown if there is none, or if properties of
// one are missing.
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
  Begin(database, {{}, {}, info.cf_name, info.cf_id, info.job_id, KeyOrder::kUnknown}, nullptr);
}

void JobOrders::Begins(DB* database, const CompactionJobInfo& info) {
  Begin(database, {{}, {}, info.cf_name, info.cf_id, info.job_id, KeyOrder::kUnknown}, &info);
}

void JobOrders::Begin(DB* database, Job job, const CompactionJobInfo* compaction) {
  try {
    job.session = SessionOf(database);
    job.path = database->GetName();
    const ColumnFamilyHandle* const handle = database->DefaultColumnFamily();
    const std::lock_guard<std::mutex> lock(mutex_);
    Session& session = Find(database, job.session);
    KeyOrder& family = session.families[job.family_id].order;
    if (job.family_id == 0) {
      family = OrderOf(handle->GetComparator()->Name());
    } else if (compaction != nullptr && family == KeyOrder::kUnknown) {
      family = OrderOfInputs(*compaction);
    }
    job.order = family;
    if (jobs_.size() >= kMaxJobs) {
      is_lost_ = true;
    } else {
      jobs_.push_back(std::move(job));
    }
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_lost_ = true;
  }
}

void JobOrders::Ends(DB* database, int job, uint32_t family) {
  try {
    const std::string session = SessionOf(database);
    const std::lock_guard<std::mutex> lock(mutex_);
    jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(),
                               [&](const Job& known) {
                                 return known.id == job && known.family_id == family &&
                                        known.session == session;
                               }),
                jobs_.end());
  } catch (...) {
    // It stays until the database ends.
  }
}

JobOrders::Session& JobOrders::Find(DB* database, const std::string& session) {
  Session& found = sessions_[session];
  found.path = database->GetName();
  found.handle = database->DefaultColumnFamily();
  return found;
}

// Null if it is not known which one is meant.
const JobOrders::Job* JobOrders::FindJob(const std::string& path, int id,
                                         const std::string& family) const {
  const auto is_of_path = [&path](const auto& session) { return session.second.path == path; };
  if (is_lost_ || std::count_if(sessions_.begin(), sessions_.end(), is_of_path) != 1) {
    return nullptr;
  }
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) {
    return job.id == id && job.path == path && job.family == family;
  });
  return found == jobs_.end() ? nullptr : &*found;
}

KeyOrder JobOrders::Of(const TableFileCreationBriefInfo& info) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Job* const job = FindJob(info.db_name, info.job_id, info.cf_name);
  return job == nullptr ? KeyOrder::kUnknown : job->order;
}

void JobOrders::Learn(const TableFileCreationInfo& info) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Job* const job = FindJob(info.db_name, info.job_id, info.cf_name);
  if (job == nullptr) return;
  sessions_[job->session].families[job->family_id].order =
      OrderOf(info.table_properties.comparator_name);
}

void JobOrders::Learn(DB* database, ColumnFamilyHandle* handle) {
  const std::string session = SessionOf(database);
  const KeyOrder order = OrderOf(handle->GetComparator()->Name());
  const std::lock_guard<std::mutex> lock(mutex_);
  Find(database, session).families[handle->GetID()].order = order;
}

void JobOrders::Closed(const ColumnFamilyHandle* handle) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto session = sessions_.begin(); session != sessions_.end();) {
    if (session->second.handle != handle) {
      ++session;
      continue;
    }
    jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(),
                               [&](const Job& job) { return job.session == session->first; }),
                jobs_.end());
    session = sessions_.erase(session);
  }
}

}  // namespace winnow::plugin
