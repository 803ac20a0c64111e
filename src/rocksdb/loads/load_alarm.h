// When it is said that the same filters are loaded again and again, and what is said.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_LOAD_ALARM_H_
#define WINNOW_SRC_ROCKSDB_LOADS_LOAD_ALARM_H_

#include <cstdint>
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

// By what the last minute had; the second also needs minute_filters_again.
inline bool MayBeAlarm(const FilterLoads& loads) {
  return loads.minute_bytes_again >= kAlarmBytesAgain;
}
inline bool IsAlarm(const FilterLoads& loads) {
  return MayBeAlarm(loads) &&
         loads.minute_blocks_again > kAlarmTimesEach * loads.minute_filters_again;
}

// The sentence, with the cause by where the filters lie. The folder of the database, or empty.
std::string AlarmText(const FilterLoads& loads, const PlaceOfFilters& place,
                      const std::string& folder);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_LOAD_ALARM_H_
