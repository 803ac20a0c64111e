#include "src/rocksdb/load_meter.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "src/rocksdb/loads/caches_seen.h"
#include "src/rocksdb/loads/load_alarm.h"
#include "src/rocksdb/messages/info_log.h"
#include "src/rocksdb/messages/open_databases.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/totals.h"
#include "src/rocksdb/use/use_text.h"
#include "src/rocksdb/use_log.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::Logger;
using Time = LoadMeter::Time;

// Returns the coarse monotonic time: exact to the timer's ticks, some milliseconds, but four times
// as fast.
Time CoarseNow() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return Time(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

std::atomic<LoadMeter::Clock> g_clock{&CoarseNow};

Time Now() { return g_clock.load(std::memory_order_relaxed)(); }

struct RaisedAlarm {
  std::string text;
  Time time;
  LogTimes logs;  // logs that have the alarm
};

// All meters, what they know of the process, and the sums of destroyed ones. Never destroyed:
// policies may live longer than static objects.
struct AllMeters {
  std::mutex mutex;  // guards the following members; held for microseconds, or in Read() longer
  std::vector<LoadMeter*> meters;
  FilterLoads gone;
  CachesSeen caches;
  Time next_check = Time::min();
  std::shared_ptr<RaisedAlarm> alarm;  // the last one
  std::atomic<uint64_t> alarms{0};

  bool HadAlarm(Time now) const {
    return alarm != nullptr && now - alarm->time < LoadMeter::kAlarmInterval;
  }
};
AllMeters& Meters() {
  static AllMeters& all = *new AllMeters;
  return all;
}

// Fork handlers: a forked child has no thread that would release the lock.
void LockMeters() noexcept { Meters().mutex.lock(); }
void UnlockMeters() noexcept { Meters().mutex.unlock(); }
[[maybe_unused]] const int meters_at_fork =
    ::pthread_atfork(LockMeters, UnlockMeters, UnlockMeters);

void WriteAlarm(Logger* log, RaisedAlarm* alarm, Time now) {
  alarm->logs.Write(log, ROCKSDB_NAMESPACE::InfoLogLevel::WARN_LEVEL, LoadMeter::kAlarmInterval,
                    true, now, [alarm] { return alarm->text; });
}

}  // namespace

LoadMeter::LoadMeter() {
  AllMeters& all = Meters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.meters.push_back(this);
  alarms_before_ = all.alarms;
  alarms_taken_ = alarms_before_;
}

LoadMeter::~LoadMeter() {
  AllMeters& all = Meters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.meters.erase(std::find(all.meters.begin(), all.meters.end(), this));
  table_.AddTotals(&all.gone);
}

void LoadMeter::StartAnew(Clock clock) noexcept {
  g_clock = clock != nullptr ? clock : &CoarseNow;
  AllMeters& all = Meters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.caches = {};
  all.next_check = Time::min();
  all.alarm = nullptr;
}

void LoadMeter::Note(uint64_t filter, uint64_t bytes) noexcept {
  const Time now = Now();
  AllMeters& all = Meters();
  bool is_check = false;
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    table_.Note(filter, bytes, now);
    is_check = now >= all.next_check;
    if (is_check) all.next_check = now + kCheckInterval;
  }
  if (is_check) Check(now);
  if (alarms_taken_.load(std::memory_order_relaxed) != all.alarms.load(std::memory_order_relaxed)) {
    Deliver(now);
  }
}

FilterLoads LoadMeter::Read() const noexcept {
  AllMeters& all = Meters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  FilterLoads loads = table_.Read(Now());
  loads.alarms = all.alarms - alarms_before_;
  return loads;
}

FilterLoads LoadMeter::ReadAll() noexcept {
  AllMeters& all = Meters();
  const Time now = Now();
  const std::lock_guard<std::mutex> lock(all.mutex);
  FilterLoads sums = all.gone;
  for (const LoadMeter* meter : all.meters) meter->table_.AddAll(now, &sums);
  sums.alarms = all.alarms;
  return sums;
}

bool LoadMeter::SetCallback(Callback callback) noexcept {
  try {
    auto set = callback ? std::make_shared<const Callback>(std::move(callback)) : nullptr;
    const std::lock_guard<std::mutex> lock(Meters().mutex);
    callback_.swap(set);
    return true;
  } catch (...) {
    return false;
  }
}

// ---- Databases that use a policy of Winnow's

void LoadMeter::See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) noexcept {
  try {
    const std::lock_guard<std::mutex> lock(Meters().mutex);
    Meters().caches.See(table, Now());
  } catch (...) {
  }
}

void LoadMeter::See(const ROCKSDB_NAMESPACE::DBOptions& database) noexcept {
  const std::lock_guard<std::mutex> lock(Meters().mutex);
  Meters().caches.See(database);
}

void LoadMeter::Opened(const void* database, const std::string& folder,
                       const ROCKSDB_NAMESPACE::DBOptions& options) noexcept {
  See(options);
  NoteOpened(database, folder, options.info_log);
  use_.Opened(database, folder, options.info_log.get());
  if (options.info_log == nullptr) return;
  // The time until the first lines begins now.
  LogTotals(options.info_log.get());
  LogUse(options.info_log.get());
  KeepUseLog();
}

void LoadMeter::WillOpen(const ROCKSDB_NAMESPACE::DBOptions& options) noexcept {
  See(options);
  if (options.info_log != nullptr) Opened(options.info_log.get(), "", options);
}

void LoadMeter::Closed(const void* database) noexcept {
  NoteClosed(database);
  use_.Closed(database);
}

void LoadMeter::WriteUse(Time now) noexcept {
  VisitLogs([now](Logger* log) {
    LogTotals(log, now);
    LogUse(log, now);
  });
}

// ---- The alarm

// Raises an alarm if it is due: at once on stderr and in the logs of open databases.
void LoadMeter::Check(Time now) noexcept try {
  AllMeters& all = Meters();
  FilterLoads loads;
  CachesSeen caches;
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (const LoadMeter* meter : all.meters) meter->table_.AddRecent(now, &loads);
    if (!MayBeAlarm(loads) || all.HadAlarm(now)) return;
    loads = {};
    for (const LoadMeter* meter : all.meters) meter->table_.AddAll(now, &loads);
    caches = all.caches;
  }
  const bool is_slow = !IsAlarm(loads);
  if (is_slow && !(IsSlowAlarm(loads) && caches.Read(loads, now - kSlowAlarmTime).has_no_room)) {
    return;
  }
  const auto alarm = std::make_shared<RaisedAlarm>();
  alarm->text = AlarmText(loads, caches.Read(loads), OpenFolders(), is_slow);
  alarm->time = now;
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    // The thread of an earlier check may have been suspended for a second.
    if (all.HadAlarm(now)) return;
    all.alarm = alarm;
    ++all.alarms;
  }
  VisitLogs([&](Logger* log) { WriteAlarm(log, alarm.get(), now); });
  if (IsLogging()) SayOnStderr(alarm->text);
} catch (...) {
  // Out of memory, or a cache of the program throws: the next check is in a second.
}

// Calls the callback with an alarm that is not old. Called by a thread that loads a filter through
// this policy, so the policy is alive.
void LoadMeter::Deliver(Time now) noexcept try {
  AllMeters& all = Meters();
  std::shared_ptr<const Callback> callback;
  FilterLoadAlarm told;
  CachesSeen caches;
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (alarms_taken_.exchange(all.alarms) == all.alarms) return;  // another thread does it
    if (callback_ == nullptr || !all.HadAlarm(now)) return;
    callback = callback_;
    told.text = all.alarm->text;
    caches = all.caches;
  }
  told.loads = Read();
  const PlaceOfFilters place = caches.Read(told.loads);
  told.cache_capacity = place.capacity;
  told.cache_usage = place.usage;
  (*callback)(told);
} catch (...) {
  // Thrown if out of memory, or by the program's callback.
}

void LoadMeter::WriteLate(Logger* log) noexcept try {
  if (log == nullptr || Meters().alarms == 0) return;
  std::shared_ptr<RaisedAlarm> alarm;
  const Time now = Now();
  {
    AllMeters& all = Meters();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (all.HadAlarm(now)) alarm = all.alarm;
  }
  if (alarm != nullptr) WriteAlarm(log, alarm.get(), now);
} catch (...) {
}

}  // namespace winnow::plugin
