// When it is said that the same filters are loaded again and again, and what is said.

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

// Of a minute.
//
// 64 MiB: what takes less costs less than a hundredth of a core, a second's work for checksums and
// memory at 1 GB/s being 17 MiB/s here, and no disk is busy with 1 MiB/s.
// Three times each: who opens a database thrice a minute loads each filter three times; at the
// first start, full scan, backup, compaction or flush a filter is loaded once or twice. A cache
// that is too small is far beyond: with one of a tenth of the filters, nearly each lookup of a key
// loads a filter.
inline constexpr uint64_t kAlarmBytesAgain = uint64_t{64} << 20;
inline constexpr uint64_t kAlarmTimesEach = 3;

// Of ten minutes, where lookups wait for the disk, which the filters keep busy: as many bytes a
// minute, and all filters so often. By that alone a database that is opened often would be one: it
// also takes a cache that was there all the time, and has no room.
inline constexpr std::chrono::minutes kSlowAlarmTime{10};
inline constexpr uint64_t kSlowAlarmBytesAgain = 10 * kAlarmBytesAgain;
inline constexpr uint64_t kSlowAlarmTimesFilters = 5;

// By what was loaded lately; the others also need what is known of filters.
inline bool MayBeAlarm(const FilterLoads& loads) {
  return loads.minute_bytes_again >= kAlarmBytesAgain ||
         loads.ten_minutes_bytes_again >= kSlowAlarmBytesAgain;
}
inline bool IsAlarm(const FilterLoads& loads) {
  return loads.minute_bytes_again >= kAlarmBytesAgain &&
         loads.minute_blocks_again > kAlarmTimesEach * loads.minute_filters_again;
}
// Nor is it one of what has ended.
inline bool IsSlowAlarm(const FilterLoads& loads) {
  return loads.minute_bytes_again > 0 && loads.ten_minutes_bytes_again >= kSlowAlarmBytesAgain &&
         loads.ten_minutes_bytes_again >= kSlowAlarmTimesFilters * loads.filter_bytes;
}

// Whether there is a cache that does not keep these filters.
bool IsCacheWithoutRoom(const FilterLoads& loads, const PlaceOfFilters& place);

// What an alarm is about: one policy, or those that share a cache.
struct AlarmSubject {
  FilterLoads loads;
  PlaceOfFilters place;
  std::set<std::string> folders;  // of the databases, as far as they are known
  size_t policies = 1;            // of which the loads are
  bool is_of_one = true;          // none shares a cache with it
  bool is_slow = false;           // of ten minutes, and not of one
};

// The sentence, with the cause by where the filters lie.
std::string AlarmText(const AlarmSubject& subject);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_LOAD_ALARM_H_
