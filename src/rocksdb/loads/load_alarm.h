// When an alarm is raised because the same filters are loaded again and again, and its text.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_LOAD_ALARM_H_
#define WINNOW_SRC_ROCKSDB_LOADS_LOAD_ALARM_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "src/rocksdb/loads/tables_seen.h"
#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {

// The bounds of loads within a minute.
//
// 64 MiB: less than this costs less than a hundredth of a core, as a second's work for checksums
// and memory at 1 GB/s is 17 MiB/s here, and 1 MiB/s keeps no disk busy.
// Three times each: who opens a database three times a minute loads each filter three times; at the
// first start, full scan, backup, compaction or flush a filter is loaded once or twice. A cache
// that is too small is far beyond: if it holds a tenth of the filters, nearly each lookup of a key
// loads a filter.
inline constexpr uint64_t kAlarmBytesAgain = uint64_t{64} << 20;
inline constexpr uint64_t kAlarmTimesEach = 3;

// The bounds of loads within ten minutes, for lookups that wait for a disk which filters keep busy:
// as many bytes per minute, and all filters this many times. A database that is opened often would
// pass these, so a cache is needed, too, that existed all that time and has no room.
inline constexpr std::chrono::minutes kSlowAlarmTime{10};
inline constexpr uint64_t kSlowAlarmBytesAgain = 10 * kAlarmBytesAgain;
inline constexpr uint64_t kSlowAlarmTimesFilters = 5;

// Needs only what was loaded lately; the others also need what is known of each filter.
inline bool MayBeAlarm(const FilterLoads& loads) {
  return loads.minute_bytes_again >= kAlarmBytesAgain ||
         loads.ten_minutes_bytes_again >= kSlowAlarmBytesAgain;
}
inline bool IsAlarm(const FilterLoads& loads) {
  return loads.minute_bytes_again >= kAlarmBytesAgain &&
         loads.minute_blocks_again > kAlarmTimesEach * loads.minute_filters_again;
}
// Loads that have ended are no alarm.
inline bool IsSlowAlarm(const FilterLoads& loads) {
  return loads.minute_bytes_again > 0 && loads.ten_minutes_bytes_again >= kSlowAlarmBytesAgain &&
         loads.ten_minutes_bytes_again >= kSlowAlarmTimesFilters * loads.filter_bytes;
}

// Returns whether there is a cache that has no room for these filters.
bool IsCacheWithoutRoom(const FilterLoads& loads, const PlaceOfFilters& place);

// The subject of an alarm: one policy, or several that share a cache.
struct AlarmSubject {
  FilterLoads loads;
  PlaceOfFilters place;
  std::set<std::string> folders;  // of the databases, as far as they are known
  size_t policies = 1;            // of which the loads are
  bool is_of_one = true;          // none shares a cache with it
  bool is_slow = false;           // of ten minutes, and not of one
};

// The alarm's sentence, with the cause, which depends on where the filters lie.
std::string AlarmText(const AlarmSubject& subject);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_LOAD_ALARM_H_
