// Table of a policy's filter loads: which filters were loaded, when, and which of them again.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_LOAD_TABLE_H_
#define WINNOW_SRC_ROCKSDB_LOADS_LOAD_TABLE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {

// Filters by a 64-bit hash of their bytes (loaded_filter.h), and sums by time. Allocates nothing
// before the first load. Throws nothing. Not thread-safe.
class LoadTable {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Resolution of times.
  static constexpr std::chrono::seconds kSlot{5};
  static constexpr uint32_t kSlotsOfAMinute = 12;
  static constexpr uint32_t kSlotsRemembered = 10 * kSlotsOfAMinute;
  // Maximum number of filters that are counted individually; seven eighths of it, 100,000, if all
  // were loaded in the last ten minutes.
  static constexpr size_t kMaxFilters = 114'286;

  explicit LoadTable(size_t most_filters = kMaxFilters) noexcept : most_filters_(most_filters) {}

  // Records that a filter of `bytes` bytes was loaded. Times of different threads may be out of
  // order.
  void Note(uint64_t filter, uint64_t bytes, Time now) noexcept;

  // Adds the sums of the last minute, and the reloaded bytes of the last ten. Takes a microsecond.
  void AddRecent(Time now, FilterLoads* sums) const noexcept;
  // Adds the sums since the first load.
  void AddTotals(FilterLoads* sums) const noexcept;
  // Adds all members except `alarms`; of largest_filter_bytes and counted_one_of, keeps the
  // maximum. Looks at each filter, and takes up to a millisecond.
  void AddAll(Time now, FilterLoads* sums) const noexcept;
  FilterLoads Read(Time now) const noexcept {
    FilterLoads sums;
    AddAll(now, &sums);
    return sums;
  }

 private:
  struct Sums {
    uint64_t blocks = 0;
    uint64_t bytes = 0;
    uint64_t blocks_again = 0;
    uint64_t bytes_again = 0;

    Sums& operator+=(const Sums& more) noexcept;
  };
  struct Slot {
    uint32_t slot = 0;
    Sums sums;
  };
  struct Filter {
    uint32_t bytes = 0;
    uint32_t last = 0;        // slot of the last load
    uint32_t last_again = 0;  // slot of the last reload
  };

  static uint32_t SlotOf(Time time) noexcept;
  bool Remember(uint64_t filter, uint64_t bytes, uint32_t slot);
  void MakeRoom(uint32_t now) noexcept;
  bool IsCounted(uint64_t filter) const noexcept { return (filter & (one_of_ - 1)) == 0; }

  const size_t most_filters_;
  Sums total_;
  std::vector<Slot> slots_;  // kSlotsRemembered of them, by slot modulo their number
  std::unordered_map<uint64_t, Filter> filters_;
  uint64_t one_of_ = 1;  // a power of two: so many filters one is counted of
  uint64_t unknown_ = 0;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_LOAD_TABLE_H_
