// Meter of filter loads of a policy, and the process's alarm if filters are loaded again and again
// (winnow/rocksdb_filter_loads.h is for users).

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
#include <string>

#include "src/rocksdb/loads/load_table.h"
#include "src/rocksdb/use/use_meter.h"
#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {

// Meter of one policy and its predecessors (SetOptions may replace a policy). Thread-safe. Never
// throws; if out of memory, it counts less.
class LoadMeter {
 public:
  using Time = LoadTable::Time;
  using Callback = std::function<void(const FilterLoadAlarm&)>;

  // Minimum intervals between checks of all meters, and between alarms.
  static constexpr std::chrono::seconds kCheckInterval{1};
  static constexpr std::chrono::minutes kAlarmInterval{10};

  LoadMeter();
  ~LoadMeter();
  LoadMeter(const LoadMeter&) = delete;
  LoadMeter& operator=(const LoadMeter&) = delete;

  // Counts a load of a filter. loaded_filter.h computes `filter`. Takes tens of nanoseconds. Once a
  // second, one load in the process takes some microseconds per meter, or a millisecond if most of
  // the alarm's thresholds are exceeded. An alarm is written to the logs of open databases at once,
  // and each meter's callback is called at its next load.
  void Note(uint64_t filter, uint64_t bytes) noexcept;

  // Returns the meter of lookups in the policy's filters.
  UseMeter& use() noexcept { return use_; }

  FilterLoads Read() const noexcept;
  // Returns the sums over all present and destroyed meters. An alarm counts once.
  static FilterLoads ReadAll() noexcept;

  // Returns false and keeps the former callback if out of memory.
  bool SetCallback(Callback callback) noexcept;

  // ---- Databases that use a policy of Winnow's

  // Record the table options of a column family and the options of a database.
  static void See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) noexcept;
  static void See(const ROCKSDB_NAMESPACE::DBOptions& database) noexcept;

  // Records an open database that uses this policy. Alarms and tables of filter use go into its log
  // from now on, until it is closed or the log is destroyed. `database` identifies it in Closed().
  void Opened(const void* database, const std::string& folder,
              const ROCKSDB_NAMESPACE::DBOptions& options) noexcept;
  // Records the options of a database that a program opens, and its log: without Winnow's listener
  // nothing else tells of it.
  void WillOpen(const ROCKSDB_NAMESPACE::DBOptions& options) noexcept;
  // Records that a database is closed. Waits while an alarm is being written.
  void Closed(const void* database) noexcept;

  // Writes an alarm that this log does not have yet. Called when RocksDB asks for a builder. `log`
  // may be null.
  static void WriteLate(ROCKSDB_NAMESPACE::Logger* log) noexcept;

  // Writes the totals of the process and the tables of filter use into the logs of open databases,
  // where they are due.
  static void WriteUse(Time now = std::chrono::steady_clock::now()) noexcept;

  // For tests: sets the clock of all meters, null for the system's, and forgets caches and alarms.
  using Clock = Time (*)();
  static void StartAnew(Clock clock) noexcept;

 private:
  static void Check(Time now) noexcept;
  void Deliver(Time now) noexcept;

  UseMeter use_;
  // The lock of all meters guards the following members.
  LoadTable table_;
  std::shared_ptr<const Callback> callback_;
  uint64_t alarms_before_ = 0;             // of the process, when the meter was made
  std::atomic<uint64_t> alarms_taken_{0};  // of the process, when the callback was called
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOAD_METER_H_
