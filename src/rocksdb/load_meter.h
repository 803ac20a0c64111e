// Counts loads of a policy's filters, and raises the alarm if the same filters are loaded again and
// again (winnow/rocksdb_filter_loads.h is for users).

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

// For one policy and its predecessors (SetOptions may replace a policy). Safe from any number of
// threads. Throws nothing; if memory is short, it knows less.
class LoadMeter {
 public:
  using Time = LoadTable::Time;
  using Callback = AlarmInbox::Callback;

  // How often loads are checked, and alarms raised.
  static constexpr std::chrono::seconds kCheckInterval{1};
  static constexpr std::chrono::minutes kAlarmInterval = AlarmInbox::kAlarmInterval;

  LoadMeter();
  ~LoadMeter();
  LoadMeter(const LoadMeter&) = delete;
  LoadMeter& operator=(const LoadMeter&) = delete;

  // A filter was loaded; loaded_filter.h has its number. Takes tens of nanoseconds. Once a second
  // one load in the process takes some microseconds for each meter, or a millisecond if most of the
  // alarm's bounds are reached.
  void Note(uint64_t filter, uint64_t bytes) noexcept;

  // Meter of what its filters are asked.
  UseMeter& use() noexcept { return use_; }

  FilterLoads Read() const noexcept;
  // Sums over all present and former meters. One alarm of several meters counts once.
  static FilterLoads ReadAll() noexcept;

  // False if memory is short; then the former callback stays.
  bool SetCallback(Callback callback) noexcept { return inbox_->SetCallback(std::move(callback)); }

  // ---- What is known of databases

  // A column family has these table options.
  void See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) noexcept;
  void See(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept;
  // A database has these options.
  void See(const ROCKSDB_NAMESPACE::DBOptions& database) noexcept;

  // A database is open with these options. Alarms go into its log from now on, until it is closed
  // or the log is gone. It may have no log. `database` is a name for it.
  void Opened(const void* database, const std::string& folder,
              const ROCKSDB_NAMESPACE::DBOptions& options) noexcept;
  // Waits while an alarm is being written.
  void Closed(const void* database) noexcept {
    inbox_->Closed(database);
    use_.Closed(database);
  }

  // RocksDB asks for a builder: writes an alarm that this log does not have yet. Null is allowed.
  void WriteLate(ROCKSDB_NAMESPACE::Logger* log) noexcept;

  // The clock of all meters, for tests; null: the system's.
  using Clock = Time (*)();
  static void SetClock(Clock clock) noexcept;

 private:
  struct Group;

  static void CheckAll(Time now) noexcept;
  static std::vector<Group> GroupsToCheck(Time now);
  static void RaiseIfDue(const Group& group, Time now);
  void Deliver(Time now) noexcept;

  UseMeter use_;
  LoadTable table_;
  TablesSeen tables_;
  // Shared with a thread that raises an alarm while this is destroyed.
  const std::shared_ptr<AlarmInbox> inbox_ = std::make_shared<AlarmInbox>();

  // All meters, in a list.
  LoadMeter* next_ = nullptr;
  LoadMeter* previous_ = nullptr;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOAD_METER_H_
