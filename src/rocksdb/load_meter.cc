#include "src/rocksdb/load_meter.h"

#include <time.h>

#include <algorithm>
#include <set>
#include <utility>

#include "src/rocksdb/loads/load_alarm.h"
#include "src/rocksdb/stderr_line.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Logger;

// As exact as the timer's ticks, of some milliseconds, for a quarter of the time.
LoadMeter::Time CoarseNow() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return LoadMeter::Time(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

std::atomic<LoadMeter::Clock> g_clock{&CoarseNow};

LoadMeter::Time Now() { return g_clock.load(std::memory_order_relaxed)(); }

// The meters there are, and the sums of those that are gone. Never destroyed: policies may live
// longer than static objects.
struct AllMeters {
  std::mutex mutex;
  LoadMeter* first = nullptr;
  FilterLoads gone;
};
AllMeters& Meters() {
  static AllMeters& all = *new AllMeters;
  return all;
}

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
      &FilterLoads::alarms,
      &FilterLoads::meter_bytes,
  };
  for (uint64_t FilterLoads::*const sum : kSums) sums->*sum += loads.*sum;
  for (uint64_t FilterLoads::*const most :
       {&FilterLoads::largest_filter_bytes, &FilterLoads::counted_one_of}) {
    sums->*most = std::max(sums->*most, loads.*most);
  }
}

}  // namespace

LoadMeter::LoadMeter() noexcept : next_check_(Time::min().time_since_epoch().count()) {
  AllMeters& all = Meters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  next_ = all.first;
  if (next_ != nullptr) next_->previous_ = this;
  all.first = this;
}

LoadMeter::~LoadMeter() {
  FilterLoads loads = table_.ReadTotals();
  loads.alarms = alarms_.load(std::memory_order_relaxed);
  loads.counted_one_of = 1;
  AllMeters& all = Meters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  (previous_ != nullptr ? previous_->next_ : all.first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  Add(loads, &all.gone);
}

void LoadMeter::SetClock(Clock clock) noexcept { g_clock = clock != nullptr ? clock : &CoarseNow; }

void LoadMeter::Note(uint64_t filter, uint64_t bytes) noexcept {
  const Time now = Now();
  table_.Note(filter, bytes, now);
  if (now.time_since_epoch().count() >= next_check_.load(std::memory_order_relaxed)) Check(now);
}

FilterLoads LoadMeter::Read() const noexcept {
  FilterLoads loads = table_.Read(Now());
  loads.alarms = alarms_.load(std::memory_order_relaxed);
  return loads;
}

FilterLoads LoadMeter::ReadAll() noexcept {
  AllMeters& all = Meters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  FilterLoads sums = all.gone;
  for (const LoadMeter* meter = all.first; meter != nullptr; meter = meter->next_) {
    Add(meter->Read(), &sums);
  }
  return sums;
}

// ---- What is known of databases

bool LoadMeter::SetCallback(Callback callback) noexcept {
  try {
    auto set = callback ? std::make_shared<const Callback>(std::move(callback)) : nullptr;
    const std::lock_guard<std::mutex> lock(mutex_);
    callback_.swap(set);
    return true;
  } catch (...) {
    return false;
  }
}

void LoadMeter::See(const BlockBasedTableOptions& table) noexcept {
  try {
    tables_.See(table);
  } catch (...) {
  }
}

void LoadMeter::See(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept {
  try {
    const auto* const table = family.table_factory == nullptr
                                  ? nullptr
                                  : family.table_factory->GetOptions<BlockBasedTableOptions>();
    if (table != nullptr) See(*table);
  } catch (...) {
  }
}

void LoadMeter::SeeMaxOpenFiles(int max_open_files) noexcept {
  try {
    tables_.SeeMaxOpenFiles(max_open_files);
  } catch (...) {
  }
}

void LoadMeter::Opened(const void* database, const std::string& folder,
                       const std::shared_ptr<Logger>& log, int max_open_files) noexcept {
  SeeMaxOpenFiles(max_open_files);
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    databases_.erase(std::remove_if(databases_.begin(), databases_.end(),
                                    [&](const OpenDatabase& one) {
                                      return one.database == database ||
                                             (one.has_log && one.log.expired());
                                    }),
                     databases_.end());
    databases_.push_back({database, folder, log != nullptr, log});
  } catch (...) {
  }
}

void LoadMeter::Closed(const void* database) noexcept {
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    databases_.erase(
        std::remove_if(databases_.begin(), databases_.end(),
                       [&](const OpenDatabase& one) { return one.database == database; }),
        databases_.end());
  } catch (...) {
  }
}

// ---- The alarm

void LoadMeter::Check(Time now) noexcept {
  Time::rep next = next_check_.load(std::memory_order_relaxed);
  Time::rep claimed = (now + kCheckInterval).time_since_epoch().count();
  if (now.time_since_epoch().count() < next ||
      !next_check_.compare_exchange_strong(next, claimed, std::memory_order_relaxed)) {
    return;  // another thread does it
  }
  if (!MayBeAlarm(table_.ReadMinute(now))) return;
  FilterLoads loads = table_.Read(now);
  if (!IsAlarm(loads)) return;
  // Unless this thread stood still, and another one checked since.
  if (!next_check_.compare_exchange_strong(
          claimed, (now + kAlarmInterval).time_since_epoch().count(), std::memory_order_relaxed)) {
    return;
  }
  loads.alarms = alarms_.fetch_add(1, std::memory_order_relaxed) + 1;
  try {
    Raise(loads, now);
  } catch (...) {
    // Of memory, or of the program's function.
  }
}

void LoadMeter::Raise(const FilterLoads& loads, Time now) {
  const PlaceOfFilters place = tables_.Read();
  FilterLoadAlarm alarm;
  alarm.loads = loads;
  alarm.cache_capacity = place.capacity;
  alarm.cache_usage = place.usage;
  std::shared_ptr<const Callback> callback;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<Logger>> logs;
    std::set<std::string> folders;
    for (const OpenDatabase& open : databases_) {
      std::shared_ptr<Logger> log = open.log.lock();
      if (open.has_log && log == nullptr) continue;
      folders.insert(open.folder);
      if (log != nullptr && std::count(logs.begin(), logs.end(), log) == 0) {
        logs.push_back(std::move(log));
      }
    }
    // Of several databases, none is named.
    const std::string folder = folders.size() == 1 ? *folders.begin() : std::string();
    alarm.text = AlarmText(loads, place, folder);
    last_alarm_ = alarm.text;
    last_alarm_time_ = now;
    callback = callback_;
    for (const std::shared_ptr<Logger>& log : logs) Write(log.get(), alarm.text, now);
  }
  if (IsLogging()) SayOnStderr(alarm.text);
  if (callback != nullptr) (*callback)(alarm);
}

// With the lock: so a database that is closed waits, and its log is one that may be written.
void LoadMeter::Write(Logger* log, const std::string& text, Time now) {
  if (!log_times_.IsDue(*log, kAlarmInterval, true, now)) return;
  ROCKSDB_NAMESPACE::Log(ROCKSDB_NAMESPACE::InfoLogLevel::WARN_LEVEL, log, "[winnow] %s",
                         text.c_str());
}

void LoadMeter::WriteLate(Logger* log) noexcept {
  if (log == nullptr || alarms_.load(std::memory_order_relaxed) == 0) return;
  try {
    const Time now = Now();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (last_alarm_.empty() || now - last_alarm_time_ >= kAlarmInterval) return;
    Write(log, last_alarm_, now);
  } catch (...) {
  }
}

}  // namespace winnow::plugin
