// Delivery of an alarm to the program's callback and to the LOGs of databases.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_ALARM_INBOX_H_
#define WINNOW_SRC_ROCKSDB_LOADS_ALARM_INBOX_H_

#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "src/rocksdb/loads/tables_seen.h"
#include "src/rocksdb/messages/info_log.h"
#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {

// An alarm, shared by all policies that it concerns.
struct RaisedAlarm {
  std::string text;
  std::chrono::steady_clock::time_point time;
  LogTimes logs;  // logs that have the alarm
};

// Mailbox of alarms for one policy and its predecessors. Any thread may leave an alarm here, also
// while the policy is destroyed. A thread that loads a filter through the policy takes it, so the
// program's callback is never called for a destroyed policy. Thread-safe. Best-effort: functions do
// not throw unless they say so, and report less if out of memory.
class AlarmInbox {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Callback = std::function<void(const FilterLoadAlarm&)>;

  static constexpr std::chrono::minutes kAlarmInterval{10};

  // Returns the number of alarms that were left here.
  uint64_t alarms() const noexcept { return alarms_.load(std::memory_order_relaxed); }
  // Returns whether an alarm waits.
  bool has_new() const noexcept { return has_new_.load(std::memory_order_relaxed); }
  // Returns whether an alarm was left less than kAlarmInterval ago.
  bool HadOne(Time now) const noexcept;

  void Leave(std::shared_ptr<RaisedAlarm> alarm) noexcept;

  // Writes the waiting alarm to the logs and returns its text; returns an empty string if another
  // thread took it, or if it is old. May throw std::bad_alloc.
  std::string Take(Time now);
  // Returns false and keeps the former callback if out of memory.
  bool SetCallback(Callback callback) noexcept;
  std::shared_ptr<const Callback> callback() const noexcept;

  // Called by the functions of LoadMeter with these names.
  void Opened(const void* database, const std::string& folder,
              const std::shared_ptr<ROCKSDB_NAMESPACE::Logger>& log) noexcept;
  void Listed(const void* database, const BlockBytes& blocks) noexcept;
  void Closed(const void* database) noexcept;
  void WriteLate(ROCKSDB_NAMESPACE::Logger* log, Time now) noexcept;

  // Calls `visit` with the log of each open database that has one. Waits while an alarm is being
  // written. May throw what `visit` throws.
  void VisitLogs(const std::function<void(ROCKSDB_NAMESPACE::Logger*)>& visit) const;
  // Adds the folders of open databases, with the blocks of their files, as far as they are known.
  // Waits while an alarm is being written. May throw std::bad_alloc.
  void AddBlocks(std::map<std::string, BlockBytes>* blocks) const;

 private:
  struct OpenDatabase {
    const void* database;
    std::string folder;
    bool has_log;  // false for some databases that are opened read-only
    std::weak_ptr<ROCKSDB_NAMESPACE::Logger> log;
    BlockBytes blocks{};
  };

  static void Write(ROCKSDB_NAMESPACE::Logger* log, RaisedAlarm* alarm, Time now);

  std::atomic<uint64_t> alarms_{0};
  std::atomic<bool> has_new_{false};

  mutable std::mutex alarm_mutex_;  // guards last_ and callback_
  std::shared_ptr<RaisedAlarm> last_;
  std::shared_ptr<const Callback> callback_;

  mutable std::mutex mutex_;  // held while a log is written
  std::vector<OpenDatabase> databases_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_ALARM_INBOX_H_
