#include "src/rocksdb/load_meter.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include "src/rocksdb/loads/load_alarm.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/totals.h"
#include "src/rocksdb/use/use_text.h"
#include "src/rocksdb/use_log.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Logger;

// Returns the coarse monotonic time: exact to the timer's ticks, some milliseconds, but four times
// as fast.
LoadMeter::Time CoarseNow() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return LoadMeter::Time(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

std::atomic<LoadMeter::Clock> g_clock{&CoarseNow};

LoadMeter::Time Now() { return g_clock.load(std::memory_order_relaxed)(); }

// List of all meters, and the sums of destroyed ones. Never destroyed: policies may live longer
// than static objects.
struct AllMeters {
  std::mutex mutex;  // guards `first` and `gone`
  LoadMeter* first = nullptr;
  FilterLoads gone;

  std::atomic<LoadMeter::Time::rep> next_check{LoadMeter::Time::min().time_since_epoch().count()};
  std::atomic<bool> is_checking{false};
  std::atomic<uint64_t> alarms{0};
};
AllMeters& Meters() {
  static AllMeters& all = *new AllMeters;
  return all;
}

// Fork handlers: a thread that checks holds the lock for a while each second, and a forked child
// has no such thread.
void LockMeters() noexcept { Meters().mutex.lock(); }
void UnlockMeters() noexcept { Meters().mutex.unlock(); }
void UnlockMetersOfChild() noexcept {
  Meters().is_checking = false;
  UnlockMeters();
}
[[maybe_unused]] const int meters_at_fork =
    ::pthread_atfork(LockMeters, UnlockMeters, UnlockMetersOfChild);

void Add(const FilterLoads& loads, FilterLoads* sums) {
  constexpr uint64_t FilterLoads::*kSums[] = {
      &FilterLoads::blocks,
      &FilterLoads::bytes,
      &FilterLoads::blocks_again,
      &FilterLoads::bytes_again,
      &FilterLoads::minute_blocks,
      &FilterLoads::minute_bytes,
      &FilterLoads::minute_blocks_again,
      &FilterLoads::minute_bytes_again,
      &FilterLoads::minute_filters_again,
      &FilterLoads::filters,
      &FilterLoads::filter_bytes,
      &FilterLoads::blocks_unknown,
      &FilterLoads::meter_bytes,
      &FilterLoads::ten_minutes_bytes_again,
  };
  for (uint64_t FilterLoads::*const sum : kSums) sums->*sum += loads.*sum;
  for (uint64_t FilterLoads::*const most :
       {&FilterLoads::largest_filter_bytes, &FilterLoads::counted_one_of}) {
    sums->*most = std::max(sums->*most, loads.*most);
  }
}

}  // namespace

LoadMeter::LoadMeter() {
  AllMeters& all = Meters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  next_ = all.first;
  if (next_ != nullptr) next_->previous_ = this;
  all.first = this;
}

LoadMeter::~LoadMeter() {
  inbox_->SetCallback({});  // a thread that checks may still hold the inbox for a while
  FilterLoads loads = table_.ReadTotals();
  loads.counted_one_of = 1;
  AllMeters& all = Meters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  (previous_ != nullptr ? previous_->next_ : all.first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  Add(loads, &all.gone);
}

void LoadMeter::SetClock(Clock clock) noexcept {
  g_clock = clock != nullptr ? clock : &CoarseNow;
  Meters().next_check = Time::min().time_since_epoch().count();
}

void LoadMeter::Note(uint64_t filter, uint64_t bytes) noexcept {
  const Time now = Now();
  table_.Note(filter, bytes, now);
  if (now.time_since_epoch().count() >= Meters().next_check.load(std::memory_order_relaxed)) {
    CheckAll(now);
  }
  if (inbox_->has_new()) Deliver(now);
}

FilterLoads LoadMeter::Read() const noexcept {
  FilterLoads loads = table_.Read(Now());
  loads.alarms = inbox_->alarms();
  return loads;
}

FilterLoads LoadMeter::ReadAll() noexcept {
  AllMeters& all = Meters();
  const Time now = Now();
  const std::lock_guard<std::mutex> lock(all.mutex);
  FilterLoads sums = all.gone;
  for (const LoadMeter* meter = all.first; meter != nullptr; meter = meter->next_) {
    Add(meter->table_.Read(now), &sums);
  }
  sums.alarms = all.alarms.load(std::memory_order_relaxed);
  return sums;
}

// ---- Databases that use the policy

void LoadMeter::See(const BlockBasedTableOptions& table) noexcept {
  try {
    tables_.See(table, Now());
  } catch (...) {
  }
}

void LoadMeter::See(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept {
  try {
    if (const auto* const table = TableOptionsOf(family)) See(*table);
  } catch (...) {
  }
}

void LoadMeter::See(const ROCKSDB_NAMESPACE::DBOptions& database) noexcept {
  try {
    tables_.See(database);
  } catch (...) {
  }
}

void LoadMeter::Opened(const void* database, const std::string& folder,
                       const ROCKSDB_NAMESPACE::DBOptions& options) noexcept {
  See(options);
  inbox_->Opened(database, folder, options.info_log);
  use_.Opened(database, folder, options.info_log.get());
  NoteLog(options.info_log.get());
}

void LoadMeter::WillOpen(const std::shared_ptr<Logger>& log) noexcept {
  if (log == nullptr) return;
  inbox_->Opened(log.get(), "", log);
  use_.Opened(log.get(), "", log.get());
  NoteLog(log.get());
}

// The time until the first lines begins now.
void LoadMeter::NoteLog(Logger* log) noexcept {
  if (log == nullptr) return;
  LogTotals(log);
  LogUse(log);
  KeepUseLog();
}

void LoadMeter::WriteUse(Time now) noexcept {
  try {
    std::vector<std::shared_ptr<AlarmInbox>> inboxes;
    {
      AllMeters& all = Meters();
      const std::lock_guard<std::mutex> lock(all.mutex);
      for (const LoadMeter* meter = all.first; meter != nullptr; meter = meter->next_) {
        if (meter->use_.has_filters()) inboxes.push_back(meter->inbox_);
      }
    }
    for (const std::shared_ptr<AlarmInbox>& inbox : inboxes) {
      inbox->VisitLogs([now](Logger* log) {
        LogTotals(log, now);
        LogUse(log, now);
      });
    }
  } catch (...) {
    // Out of memory: the next time is in ten minutes.
  }
}

void LoadMeter::WriteLate(Logger* log) noexcept { inbox_->WriteLate(log, Now()); }

// ---- The alarm

// A policy's loads, for a check. Has no reference to a meter, as meters may be destroyed meanwhile.
struct LoadMeter::Policy {
  FilterLoads loads;
  KnownTables tables;
  std::shared_ptr<AlarmInbox> inbox;
};

// Checks all meters in one thread, at most once per kCheckInterval.
void LoadMeter::CheckAll(Time now) noexcept {
  AllMeters& all = Meters();
  Time::rep next = all.next_check.load(std::memory_order_relaxed);
  if (now.time_since_epoch().count() < next ||
      !all.next_check.compare_exchange_strong(
          next, (now + kCheckInterval).time_since_epoch().count(), std::memory_order_relaxed)) {
    return;  // another thread does it
  }
  // The thread of an earlier check may have been suspended for a second and still be checking.
  if (all.is_checking.exchange(true, std::memory_order_acquire)) return;
  try {
    const std::vector<Policy> policies = PoliciesToCheck(now);
    if (!policies.empty()) RaiseIfDue(policies, now);
  } catch (...) {
    // Out of memory, or a cache of the program throws: the next check is in a second.
  }
  all.is_checking.store(false, std::memory_order_release);
}

// Returns all policies if their sum may be due for an alarm, and none of them had one lately. This
// function must not release anything whose destructor may destroy a meter, such as a cache with its
// readers: it holds the lock.
std::vector<LoadMeter::Policy> LoadMeter::PoliciesToCheck(Time now) {
  AllMeters& all = Meters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  FilterLoads recent;
  bool had_alarm = false;
  for (const LoadMeter* meter = all.first; meter != nullptr; meter = meter->next_) {
    Add(meter->table_.ReadRecent(now), &recent);
    had_alarm = had_alarm || meter->inbox_->HadOne(now);
  }
  std::vector<Policy> policies;
  if (!MayBeAlarm(recent) || had_alarm) return policies;
  for (const LoadMeter* meter = all.first; meter != nullptr; meter = meter->next_) {
    policies.push_back({meter->table_.Read(now), meter->tables_.Known(), meter->inbox_});
  }
  return policies;
}

void LoadMeter::RaiseIfDue(const std::vector<Policy>& policies, Time now) {
  AlarmSubject subject;
  Policy all;
  std::map<std::string, BlockBytes> databases;
  size_t loaded = 0;  // number of policies that loaded filters in the last ten minutes
  for (const Policy& policy : policies) {
    policy.inbox->AddBlocks(&databases);
    if (policy.loads.filters == 0) continue;
    ++loaded;
    Add(policy.loads, &all.loads);
    all.tables.Add(policy.tables);
  }
  // Checks the sum over all policies, then each policy alone, as the filters of the others may hide
  // its alarm.
  const Policy* due = nullptr;
  const auto look_for = [&](const auto& is_due) {
    if (is_due(all)) due = &all;
    for (const Policy& policy : policies) {
      if (due == nullptr && is_due(policy)) due = &policy;
    }
  };
  look_for([](const Policy& some) { return IsAlarm(some.loads); });
  if (due == nullptr) {
    subject.is_slow = true;
    look_for([now](const Policy& some) {
      return IsSlowAlarm(some.loads) &&
             IsCacheWithoutRoom(some.loads, some.tables.Read(now - kSlowAlarmTime));
    });
  }
  if (due == nullptr) return;
  subject.loads = due->loads;
  subject.place = due->tables.Read();
  subject.policies = due == &all ? loaded : 1;
  subject.is_of_one = policies.size() == 1;
  if (due != &all) due->inbox->AddBlocks(&subject.databases);
  for (const auto& [folder, blocks] : databases) {
    // Another policy of the database may have its sizes.
    if (due == &all || subject.databases.count(folder) > 0) subject.databases[folder] = blocks;
  }
  const auto alarm = std::make_shared<RaisedAlarm>();
  alarm->text = AlarmText(subject);
  alarm->time = now;
  Meters().alarms.fetch_add(1, std::memory_order_relaxed);
  for (const Policy& policy : policies) policy.inbox->Leave(alarm);
  if (IsLogging()) SayOnStderr(alarm->text);
}

// Called by a thread that loads a filter through this policy, so the policy is alive.
void LoadMeter::Deliver(Time now) noexcept {
  try {
    FilterLoadAlarm alarm;
    alarm.text = inbox_->Take(now);
    const std::shared_ptr<const Callback> callback = inbox_->callback();
    if (alarm.text.empty() || callback == nullptr) return;
    const PlaceOfFilters place = tables_.Known().Read();
    alarm.cache_capacity = place.capacity;
    alarm.cache_usage = place.usage;
    alarm.loads = Read();
    (*callback)(alarm);
  } catch (...) {
    // Thrown if out of memory, or by the program's callback.
  }
}

}  // namespace winnow::plugin
