#include "tests/distributed/folder_service.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <thread>
#include <utility>

#include "tests/stress/database.h"
#include "tests/support/files.h"
#include "winnow/rocksdb_remote_compaction.h"

namespace winnow::distributed {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::vector<std::string> TablesIn(const std::string& folder) {
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".sst") paths.push_back(entry.path());
  }
  return paths;
}

Event EventOf(FilterCheck::Is is) {
  switch (is) {
    case FilterCheck::Is::kEqual:
      return Event::kEqual;
    case FilterCheck::Is::kForeign:
      return Event::kForeign;
    case FilterCheck::Is::kNone:
      return Event::kNone;
    default:
      return Event::kDifferent;
  }
}

}  // namespace

FolderService::FolderService(const std::string& folder, Events* events,
                             std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy,
                             std::chrono::milliseconds patience, const Recipe& recipe)
    : jobs_(folder),
      events_(events),
      policy_(std::move(policy)),
      patience_(patience),
      recipe_(recipe) {
  jobs_.ForgetAll();
}

FolderService::JobStatus FolderService::Start(const std::string& id, const Job& job,
                                              const std::string& input) {
  try {
    ForgetThoseMoved();
    distributed::Job sent{job.db_name, input, ""};
    // RocksDB up to 10.2 does not say which column family the job is for.
    for (size_t i = 0; i < stress::kFamilies; ++i) {
      if (i > 0) sent.learned += '\n';
      sent.learned += ExportLearned(*policy_, stress::FamilyName(i), job.db_name);
    }
    jobs_.Put(id, sent);
    return JobStatus::kSuccess;
  } catch (const std::exception& error) {
    events_->Add(Event::kFailed, id + " " + error.what());
    return JobStatus::kUseLocal;
  }
}

FolderService::JobStatus FolderService::Finish(const std::string& id, std::string* output) {
  try {
    const JobStatus status = Await(id, output);
    if (status == JobStatus::kUseLocal) jobs_.Forget(id);
    return status;
  } catch (const std::exception& error) {
    events_->Add(Event::kFailed, id + " " + error.what());
    return JobStatus::kUseLocal;
  }
}

FolderService::JobStatus FolderService::Await(const std::string& id, std::string* output) {
  const auto withdraw_at = Clock::now() + patience_;
  while (true) {
    switch (jobs_.StateOf(id)) {
      case JobFolder::State::kDone: {
        const Result result = jobs_.ResultOf(id);
        if (!result.error.empty()) {
          events_->Add(Event::kFailed, id + " " + result.error);
          return JobStatus::kUseLocal;
        }
        LookAt(id);
        LookAtLog(id);
        *output = result.output;
        events_->Add(Event::kDone, id);
        const std::lock_guard<std::mutex> lock(mutex_);
        finished_.push_back(id);
        return JobStatus::kSuccess;
      }
      case JobFolder::State::kLost:
        events_->Add(Event::kDied, id);
        return JobStatus::kUseLocal;
      case JobFolder::State::kWaiting:
        if (Clock::now() >= withdraw_at && jobs_.Withdraw(id)) {
          events_->Add(Event::kNotTaken, id);
          return JobStatus::kUseLocal;
        }
        break;
      case JobFolder::State::kTaken:
        break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void FolderService::LookAt(const std::string& id) {
  for (const std::string& path : TablesIn(jobs_.OutputOf(id))) {
    FilterCheck check;
    try {
      check = CheckFilter(path, recipe_);
    } catch (const std::exception& error) {
      check = {FilterCheck::Is::kDifferent, error.what()};
    }
    if (check.is == FilterCheck::Is::kNeedless) continue;
    events_->Add(EventOf(check.is), path + " " + check.what);
  }
}

// A filter that is rebuilt by its own tail matches any plan, so the LOG tells if the plan knew the
// tree.
void FolderService::LookAtLog(const std::string& id) {
  if (recipe_.options) return;
  const std::string log = testing::ReadFile(jobs_.OutputOf(id) + "/LOG");
  if (log.find(", with what was learned of ") == std::string::npos)
    events_->Add(Event::kUntold, id);
}

// RocksDB moves the output files after Finish(), and up to 9.5 does not report when.
void FolderService::ForgetThoseMoved() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto is_moved = [this](const std::string& id) {
    if (!TablesIn(jobs_.OutputOf(id)).empty()) return false;
    jobs_.Forget(id);
    return true;
  };
  finished_.erase(std::remove_if(finished_.begin(), finished_.end(), is_moved), finished_.end());
}

}  // namespace winnow::distributed
