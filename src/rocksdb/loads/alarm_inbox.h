// Where an alarm goes: to a program's function, and into the LOGs of databases.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_ALARM_INBOX_H_
#define WINNOW_SRC_ROCKSDB_LOADS_ALARM_INBOX_H_

#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "src/rocksdb/messages/info_log.h"
#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {

// Shared by all policies that the alarm is about.
struct RaisedAlarm {
  std::string text;
  std::chrono::steady_clock::time_point time;
  LogTimes logs;  // those that have it
};

// For one policy and its predecessors. Any thread may leave an alarm here, also while the policy is
// destroyed. A thread that loads a filter through the policy takes it, so a program's function is
// never called for a policy that is gone. Safe from any number of threads. Throws nothing unless
// said otherwise; if memory is short, less is said.
class AlarmInbox {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Callback = std::function<void(const FilterLoadAlarm&)>;

  static constexpr std::chrono::minutes kAlarmInterval{10};

  // The number of alarms that were left here.
  uint64_t alarms() const noexcept { return alarms_.load(std::memory_order_relaxed); }
  // True if an alarm waits.
  bool has_new() const noexcept { return has_new_.load(std::memory_order_relaxed); }
  // Returns whether an alarm was left less than kAlarmInterval ago.
  bool HadOne(Time now) const noexcept;

  void Leave(std::shared_ptr<RaisedAlarm> alarm) noexcept;

  // The text of the waiting alarm, which is then also in the logs; empty if another thread took it,
  // or if it is old. May throw std::bad_alloc.
  std::string Take(Time now);
  // False if memory is short; then the former callback stays.
  bool SetCallback(Callback callback) noexcept;
  std::shared_ptr<const Callback> callback() const noexcept;

  // See LoadMeter.
  void Opened(const void* database, const std::string& folder,
              const std::shared_ptr<ROCKSDB_NAMESPACE::Logger>& log) noexcept;
  void Closed(const void* database) noexcept;
  void WriteLate(ROCKSDB_NAMESPACE::Logger* log, Time now) noexcept;

  // Adds the folders of open databases. Waits while an alarm is being written. May throw
  // std::bad_alloc.
  void AddFolders(std::set<std::string>* folders) const;

 private:
  struct OpenDatabase {
    const void* database;
    std::string folder;
    bool has_log;  // RocksDB opens none for some that are only read
    std::weak_ptr<ROCKSDB_NAMESPACE::Logger> log;
  };

  static void Write(ROCKSDB_NAMESPACE::Logger* log, RaisedAlarm* alarm, Time now);

  std::atomic<uint64_t> alarms_{0};
  std::atomic<bool> has_new_{false};

  mutable std::mutex alarm_mutex_;  // for the next two
  std::shared_ptr<RaisedAlarm> last_;
  std::shared_ptr<const Callback> callback_;

  mutable std::mutex mutex_;  // is held while a log is written
  std::vector<OpenDatabase> databases_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_ALARM_INBOX_H_
