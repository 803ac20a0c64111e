#include "src/rocksdb/loads/alarm_inbox.h"

#include <algorithm>
#include <utility>

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::Logger;

bool AlarmInbox::HadOne(Time now) const noexcept {
  const std::lock_guard<std::mutex> lock(alarm_mutex_);
  return last_ != nullptr && now - last_->time < kAlarmInterval;
}

void AlarmInbox::Leave(std::shared_ptr<RaisedAlarm> alarm) noexcept {
  alarms_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> lock(alarm_mutex_);
  last_.swap(alarm);
  has_new_.store(true, std::memory_order_relaxed);
}

std::string AlarmInbox::Take(Time now) {
  std::shared_ptr<RaisedAlarm> alarm;
  {
    const std::lock_guard<std::mutex> lock(alarm_mutex_);
    if (!has_new_.exchange(false, std::memory_order_relaxed)) return {};
    alarm = last_;
  }
  if (alarm == nullptr || now - alarm->time >= kAlarmInterval) return {};
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const OpenDatabase& open : databases_) {
    if (const std::shared_ptr<Logger> log = open.log.lock()) Write(log.get(), alarm.get(), now);
  }
  return alarm->text;
}

bool AlarmInbox::SetCallback(Callback callback) noexcept {
  try {
    auto set = callback ? std::make_shared<const Callback>(std::move(callback)) : nullptr;
    const std::lock_guard<std::mutex> lock(alarm_mutex_);
    callback_.swap(set);
    return true;
  } catch (...) {
    return false;
  }
}

std::shared_ptr<const AlarmInbox::Callback> AlarmInbox::callback() const noexcept {
  const std::lock_guard<std::mutex> lock(alarm_mutex_);
  return callback_;
}

void AlarmInbox::Opened(const void* database, const std::string& folder,
                        const std::shared_ptr<Logger>& log) noexcept {
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    databases_.erase(std::remove_if(databases_.begin(), databases_.end(),
                                    [&](const OpenDatabase& one) {
                                      return one.database == database ||
                                             (one.has_log && one.log.expired());
                                    }),
                     databases_.end());
    databases_.push_back({database, folder, log != nullptr, log});
  } catch (...) {
  }
}

void AlarmInbox::Listed(const void* database, const BlockBytes& blocks) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (OpenDatabase& open : databases_) {
    if (open.database == database) open.blocks = blocks;
  }
}

void AlarmInbox::Closed(const void* database) noexcept {
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto is_closed = [database](const OpenDatabase& one) { return one.database == database; };
    const auto closed = std::find_if(databases_.begin(), databases_.end(), is_closed);
    if (closed == databases_.end()) return;
    // The same database may be known by its log alone, from before it was opened (WillOpen).
    const std::weak_ptr<Logger> log = closed->log;
    databases_.erase(std::remove_if(databases_.begin(), databases_.end(),
                                    [&](const OpenDatabase& one) {
                                      const bool has_this_log =
                                          !one.log.owner_before(log) && !log.owner_before(one.log);
                                      return is_closed(one) || (one.folder.empty() && has_this_log);
                                    }),
                     databases_.end());
  } catch (...) {
  }
}

// The lock is held, as in Write().
void AlarmInbox::VisitLogs(const std::function<void(Logger*)>& visit) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const OpenDatabase& open : databases_) {
    if (const std::shared_ptr<Logger> log = open.log.lock()) visit(log.get());
  }
}

void AlarmInbox::AddBlocks(std::map<std::string, BlockBytes>* blocks) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const OpenDatabase& open : databases_) {
    const bool is_open = !open.has_log || !open.log.expired();
    if (!is_open || open.folder.empty()) continue;
    // Another policy of the database may have been told of the list.
    BlockBytes& known = (*blocks)[open.folder];
    if (open.blocks.filters > known.filters) known = open.blocks;
  }
}

// Writes the alarm to a log. The lock is held: a database that closes waits for it, so its log may
// still be written.
void AlarmInbox::Write(Logger* log, RaisedAlarm* alarm, Time now) {
  if (!alarm->logs.IsDue(*log, kAlarmInterval, true, now)) return;
  WriteInLog(log, ROCKSDB_NAMESPACE::InfoLogLevel::WARN_LEVEL, alarm->text);
}

void AlarmInbox::WriteLate(Logger* log, Time now) noexcept {
  if (log == nullptr || alarms() == 0) return;
  try {
    std::shared_ptr<RaisedAlarm> alarm;
    {
      const std::lock_guard<std::mutex> lock(alarm_mutex_);
      alarm = last_;
    }
    if (alarm == nullptr || now - alarm->time >= kAlarmInterval) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    Write(log, alarm.get(), now);
  } catch (...) {
  }
}

}  // namespace winnow::plugin
