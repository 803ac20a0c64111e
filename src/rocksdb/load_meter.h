// What a policy's filters are loaded for, and the alarm where the same ones are again and again
// (winnow/rocksdb_filter_loads.h has what people should know).

#ifndef WINNOW_SRC_ROCKSDB_LOAD_METER_H_
#define WINNOW_SRC_ROCKSDB_LOAD_METER_H_

#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "src/rocksdb/loads/load_table.h"
#include "src/rocksdb/loads/tables_seen.h"
#include "src/rocksdb/log_line.h"
#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {

// Of one policy and those in whose place it was made. Safe from any number of threads. Throws
// nothing; where memory is short, less is known.
class LoadMeter {
 public:
  using Time = LoadTable::Time;
  using Callback = std::function<void(const FilterLoadAlarm&)>;

  // Loads are looked at so often, and an alarm is raised.
  static constexpr std::chrono::seconds kCheckInterval{1};
  static constexpr std::chrono::minutes kAlarmInterval{10};

  LoadMeter() noexcept;
  ~LoadMeter();
  LoadMeter(const LoadMeter&) = delete;
  LoadMeter& operator=(const LoadMeter&) = delete;

  // A filter was loaded: see loaded_filter.h. Takes tens of nanoseconds; once a second some
  // microseconds, and a millisecond where most of the alarm's bounds are reached.
  void Note(uint64_t filter, uint64_t bytes) noexcept;

  FilterLoads Read() const noexcept;
  // Over all meters that there are and were. Alarms too.
  static FilterLoads ReadAll() noexcept;

  // False if memory is short: the one before stays.
  bool SetCallback(Callback callback) noexcept;

  // ---- What is known of databases

  // A family has these table options.
  void See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) noexcept;
  void See(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept;
  void SeeMaxOpenFiles(int max_open_files) noexcept;

  // A database is open with this log, into which alarms go from now on; until it is closed, or the
  // log is gone. Null is allowed. `database` is a name for it.
  void Opened(const void* database, const std::string& folder,
              const std::shared_ptr<ROCKSDB_NAMESPACE::Logger>& log, int max_open_files) noexcept;
  // Waits while an alarm is written.
  void Closed(const void* database) noexcept;

  // A builder is asked for: writes an alarm that this log did not have. Null is allowed.
  void WriteLate(ROCKSDB_NAMESPACE::Logger* log) noexcept;

  // The time that all meters go by, for tests; null: the system's.
  using Clock = Time (*)();
  static void SetClock(Clock clock) noexcept;

 private:
  struct OpenDatabase {
    const void* database;
    std::string folder;
    bool has_log;  // RocksDB opens none for some that are only read
    std::weak_ptr<ROCKSDB_NAMESPACE::Logger> log;
  };

  void Check(Time now) noexcept;
  void Raise(const FilterLoads& loads, Time now);
  void Write(ROCKSDB_NAMESPACE::Logger* log, const std::string& text, Time now);

  LoadTable table_;
  TablesSeen tables_;
  std::atomic<Time::rep> next_check_;
  std::atomic<uint64_t> alarms_{0};

  mutable std::mutex mutex_;  // for what follows; is held while a log is written
  std::vector<OpenDatabase> databases_;
  std::shared_ptr<const Callback> callback_;
  std::string last_alarm_;
  Time last_alarm_time_;
  LogTimes log_times_;

  // All meters, in a list.
  LoadMeter* next_ = nullptr;
  LoadMeter* previous_ = nullptr;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOAD_METER_H_
