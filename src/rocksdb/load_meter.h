// Meter of filter loads of a policy, with an alarm if filters are loaded again and again
// (winnow/rocksdb_filter_loads.h is for users).

#ifndef WINNOW_SRC_ROCKSDB_LOAD_METER_H_
#define WINNOW_SRC_ROCKSDB_LOAD_METER_H_

#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/loads/alarm_inbox.h"
#include "src/rocksdb/loads/load_table.h"
#include "src/rocksdb/loads/tables_seen.h"
#include "src/rocksdb/use/use_meter.h"
#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {

// Meter of one policy and its predecessors (SetOptions may replace a policy). Thread-safe. Never
// throws; if out of memory, it counts less.
class LoadMeter {
 public:
  using Time = LoadTable::Time;
  using Callback = AlarmInbox::Callback;

  // Minimum intervals between checks of all meters, and between alarms.
  static constexpr std::chrono::seconds kCheckInterval{1};
  static constexpr std::chrono::minutes kAlarmInterval = AlarmInbox::kAlarmInterval;

  LoadMeter();
  ~LoadMeter();
  LoadMeter(const LoadMeter&) = delete;
  LoadMeter& operator=(const LoadMeter&) = delete;

  // Counts a load of a filter. loaded_filter.h computes `filter`. Takes tens of nanoseconds. Once a
  // second, one load in the process takes some microseconds per meter, or a millisecond if most of
  // the alarm's thresholds are exceeded.
  void Note(uint64_t filter, uint64_t bytes) noexcept;

  // Returns the meter of lookups in the policy's filters.
  UseMeter& use() noexcept { return use_; }

  FilterLoads Read() const noexcept;
  // Returns the sums over all present and destroyed meters. An alarm of several meters counts once.
  static FilterLoads ReadAll() noexcept;

  // Returns false and keeps the former callback if out of memory.
  bool SetCallback(Callback callback) noexcept { return inbox_->SetCallback(std::move(callback)); }

  // ---- Databases that use the policy

  // Records the table options of a column family.
  void See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) noexcept;
  void See(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept;
  // Records the options of a database.
  void See(const ROCKSDB_NAMESPACE::DBOptions& database) noexcept;

  // Records an open database. Alarms go into its log from now on, until it is closed or the log is
  // destroyed. It may have no log. `database` identifies it in Closed().
  void Opened(const void* database, const std::string& folder,
              const ROCKSDB_NAMESPACE::DBOptions& options) noexcept;
  // Records the log that a program gives a database which it opens, for tables of filter use and
  // alarms: without Winnow's listener nothing else tells of it.
  void WillOpen(const std::shared_ptr<ROCKSDB_NAMESPACE::Logger>& log) noexcept;
  // Records the sizes of blocks of an open database's files, for the alarm's remedy.
  void Listed(const void* database, const BlockBytes& blocks) noexcept {
    inbox_->Listed(database, blocks);
  }
  // Records that a database is closed. Waits while an alarm is being written.
  void Closed(const void* database) noexcept {
    inbox_->Closed(database);
    use_.Closed(database);
  }

  // Writes an alarm that this log does not have yet. Called when RocksDB asks for a builder. `log`
  // may be null.
  void WriteLate(ROCKSDB_NAMESPACE::Logger* log) noexcept;

  // Writes the totals of the process and the tables of filter use into the logs of open databases
  // whose policies have filters in memory, where they are due.
  static void WriteUse(Time now = std::chrono::steady_clock::now()) noexcept;

  // Sets the clock of all meters, for tests; null restores the system's clock.
  using Clock = Time (*)();
  static void SetClock(Clock clock) noexcept;

 private:
  struct Policy;

  static void CheckAll(Time now) noexcept;
  static std::vector<Policy> PoliciesToCheck(Time now);
  static void RaiseIfDue(const std::vector<Policy>& policies, Time now);
  void Deliver(Time now) noexcept;
  static void NoteLog(ROCKSDB_NAMESPACE::Logger* log) noexcept;

  UseMeter use_;
  LoadTable table_;
  TablesSeen tables_;
  // Shared with a thread that raises an alarm while this meter is destroyed.
  const std::shared_ptr<AlarmInbox> inbox_ = std::make_shared<AlarmInbox>();

  // Links in the list of all meters.
  LoadMeter* next_ = nullptr;
  LoadMeter* previous_ = nullptr;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOAD_METER_H_
