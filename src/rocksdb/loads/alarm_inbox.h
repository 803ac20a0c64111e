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

// For all policies that it is about.
struct RaisedAlarm {
  std::string text;
  std::chrono::steady_clock::time_point time;
  LogTimes logs;  // those that have it
};

// Of one policy and those in whose place it was made. Whoever raises an alarm leaves it here, from
// any thread, also while the policy goes. It is taken by a thread that loads a filter through that
// policy, so that a program's function is never called for a policy that is gone. Safe from any
// number of threads. Throws nothing but where it says so; where memory is short, less is said.
class AlarmInbox {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Callback = std::function<void(const FilterLoadAlarm&)>;

  static constexpr std::chrono::minutes kAlarmInterval{10};

  // Alarms that were left here.
  uint64_t alarms() const noexcept { return alarms_.load(std::memory_order_relaxed); }
  // Whether one waits.
  bool has_new() const noexcept { return has_new_.load(std::memory_order_relaxed); }
  // Whether there was one less than kAlarmInterval ago.
  bool HadOne(Time now) const noexcept;

  void Leave(std::shared_ptr<RaisedAlarm> alarm) noexcept;

  // The text of the alarm that waits, if this thread is the first to ask and it is not old: it is
  // in the logs then. Else empty. May throw std::bad_alloc.
  std::string Take(Time now);
  // False if memory is short: the one before stays.
  bool SetCallback(Callback callback) noexcept;
  std::shared_ptr<const Callback> callback() const noexcept;

  // As LoadMeter has them.
  void Opened(const void* database, const std::string& folder,
              const std::shared_ptr<ROCKSDB_NAMESPACE::Logger>& log) noexcept;
  void Closed(const void* database) noexcept;
  void WriteLate(ROCKSDB_NAMESPACE::Logger* log, Time now) noexcept;

  // Adds those of databases that are open. Waits while an alarm is written. May throw
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
