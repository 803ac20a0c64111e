// What a policy's filters are loaded for, and the alarm where the same ones are again and again
// (winnow/rocksdb_filter_loads.h has what people should know).

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
#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {

// Of one policy and those in whose place it was made. Safe from any number of threads. Throws
// nothing; where memory is short, less is known.
class LoadMeter {
 public:
  using Time = LoadTable::Time;
  using Callback = AlarmInbox::Callback;

  // Loads are looked at so often, and alarms are raised.
  static constexpr std::chrono::seconds kCheckInterval{1};
  static constexpr std::chrono::minutes kAlarmInterval = AlarmInbox::kAlarmInterval;

  LoadMeter();
  ~LoadMeter();
  LoadMeter(const LoadMeter&) = delete;
  LoadMeter& operator=(const LoadMeter&) = delete;

  // A filter was loaded: see loaded_filter.h. Takes tens of nanoseconds; for one load of the
  // process once a second some microseconds for each meter, and a millisecond where most of the
  // alarm's bounds are reached.
  void Note(uint64_t filter, uint64_t bytes) noexcept;

  FilterLoads Read() const noexcept;
  // Over all meters that there are and were. One alarm of several meters counts once.
  static FilterLoads ReadAll() noexcept;

  // False if memory is short: the one before stays.
  bool SetCallback(Callback callback) noexcept { return inbox_->SetCallback(std::move(callback)); }

  // ---- What is known of databases

  // A family has these table options.
  void See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) noexcept;
  void See(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept;
  // A database has these.
  void See(const ROCKSDB_NAMESPACE::DBOptions& database) noexcept;

  // A database is open with these options, into whose log alarms go from now on; until it is
  // closed, or the log is gone. It may have none. `database` is a name for it.
  void Opened(const void* database, const std::string& folder,
              const ROCKSDB_NAMESPACE::DBOptions& options) noexcept;
  // Waits while an alarm is written.
  void Closed(const void* database) noexcept { inbox_->Closed(database); }

  // A builder is asked for: writes an alarm that this log did not have. Null is allowed.
  void WriteLate(ROCKSDB_NAMESPACE::Logger* log) noexcept;

  // The time that all meters go by, for tests; null: the system's.
  using Clock = Time (*)();
  static void SetClock(Clock clock) noexcept;

 private:
  struct Group;

  static void CheckAll(Time now) noexcept;
  static std::vector<Group> GroupsToCheck(Time now);
  static void RaiseIfDue(const Group& group, Time now);
  void Deliver(Time now) noexcept;

  LoadTable table_;
  TablesSeen tables_;
  // Also of who raises an alarm while this goes.
  const std::shared_ptr<AlarmInbox> inbox_ = std::make_shared<AlarmInbox>();

  // All meters, in a list.
  LoadMeter* next_ = nullptr;
  LoadMeter* previous_ = nullptr;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOAD_METER_H_
