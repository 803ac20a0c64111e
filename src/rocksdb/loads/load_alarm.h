// Conditions and text of the alarm that filters are loaded again and again.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_LOAD_ALARM_H_
#define WINNOW_SRC_ROCKSDB_LOADS_LOAD_ALARM_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "src/rocksdb/loads/caches_seen.h"
#include "src/rocksdb/messages/open_databases.h"
#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {

// Thresholds for loads within a minute.
//
// Bytes: loads of less than 64 MiB take less than a hundredth of a core, as a second's work for
// checksums and memory at 1 GB/s is 17 MiB/s here, and 1 MiB/s keeps no disk busy.
//
// Times per filter: opening a database three times a minute loads each filter three times; a first
// start, full scan, backup, compaction or flush loads a filter once or twice. A cache that is too
// small is far beyond: if it holds a tenth of the filters, nearly every lookup of a key loads a
// filter.
inline constexpr uint64_t kAlarmBytesAgain = uint64_t{64} << 20;
inline constexpr uint64_t kAlarmTimesEach = 3;

// Thresholds for loads within ten minutes, for lookups that wait for a disk which filters keep
// busy: the same bytes per minute, and this many loads of all filters. A database that is opened
// often would exceed them, so the alarm also requires a cache that existed all that time and has no
// room.
inline constexpr std::chrono::minutes kSlowAlarmTime{10};
inline constexpr uint64_t kSlowAlarmBytesAgain = 10 * kAlarmBytesAgain;
inline constexpr uint64_t kSlowAlarmTimesFilters = 5;

// Returns whether an alarm is possible. Needs only the sums of recent loads; IsAlarm and
// IsSlowAlarm also need the sums over known filters.
inline bool MayBeAlarm(const FilterLoads& loads) {
  return loads.minute_bytes_again >= kAlarmBytesAgain ||
         loads.ten_minutes_bytes_again >= kSlowAlarmBytesAgain;
}
inline bool IsAlarm(const FilterLoads& loads) {
  return loads.minute_bytes_again >= kAlarmBytesAgain &&
         loads.minute_blocks_again > kAlarmTimesEach * loads.minute_filters_again;
}
// Returns whether the ten-minute thresholds are exceeded and loads go on: loads that have ended are
// no alarm.
inline bool IsSlowAlarm(const FilterLoads& loads) {
  return loads.minute_bytes_again > 0 && loads.ten_minutes_bytes_again >= kSlowAlarmBytesAgain &&
         loads.ten_minutes_bytes_again >= kSlowAlarmTimesFilters * loads.filter_bytes;
}

// Returns the alarm's text: what was loaded, in a minute or, if `is_slow`, in ten; the caches; and
// what helps the open databases.
std::string AlarmText(const FilterLoads& loads, const PlaceOfFilters& place,
                      const std::map<std::string, BlockBytes>& databases, bool is_slow);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_LOAD_ALARM_H_
