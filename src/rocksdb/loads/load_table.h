// Table of a policy's filter loads: which filters were loaded, when, and which of them again.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_LOAD_TABLE_H_
#define WINNOW_SRC_ROCKSDB_LOADS_LOAD_TABLE_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {

// Hash table of filters, by a 64-bit hash of their bytes (loaded_filter.h), which also selects one
// of the table's parts. Each part has a lock that is held for a few instructions, except while the
// part grows. Thread-safe. Allocates nothing before the first load. Throws nothing.
class LoadTable {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Resolution of times.
  static constexpr std::chrono::seconds kSlot{5};
  static constexpr uint32_t kSlotsOfAMinute = 12;
  static constexpr uint32_t kMinutes = 10;
  static constexpr uint32_t kSlotsRemembered = kMinutes * kSlotsOfAMinute;
  // Maximum number of filters that are counted individually; seven eighths of it, 100,000, if all
  // were loaded in the last ten minutes.
  static constexpr size_t kMaxFilters = 114'286;

  explicit LoadTable(size_t most_filters = kMaxFilters) noexcept : most_filters_(most_filters) {}
  ~LoadTable();
  LoadTable(const LoadTable&) = delete;
  LoadTable& operator=(const LoadTable&) = delete;

  // Records that a filter of `bytes` bytes was loaded. Times of different threads may be out of
  // order.
  void Note(uint64_t filter, uint64_t bytes, Time now) noexcept;

  // Returns the sums of the last minute, and the reloaded bytes of the last ten; other members are
  // 0. Takes some microseconds.
  FilterLoads ReadRecent(Time now) const noexcept;
  // Returns all members except `alarms`. Looks at each filter, and takes up to a millisecond.
  FilterLoads Read(Time now) const noexcept;
  // Returns the sums since the first load; other members are 0.
  FilterLoads ReadTotals() const noexcept;

 private:
  static constexpr unsigned kPartBits = 4;
  static constexpr size_t kParts = size_t{1} << kPartBits;

  struct Sums {
    uint64_t blocks = 0;
    uint64_t bytes = 0;
    uint64_t blocks_again = 0;
    uint64_t bytes_again = 0;
  };
  // First slot number. Slot 0, "never", is thus long ago even if the machine has just started.
  static constexpr uint32_t kFirstSlot = 2 * kSlotsRemembered;
  struct Entry {
    uint64_t filter = 0;  // 0 if free
    uint32_t bytes = 0;
    uint32_t last = 0;        // slot of the last load
    uint32_t last_again = 0;  // slot of the last reload
  };
  struct Slot {
    uint32_t slot = 0;
    Sums sums;
  };
  struct Minute {
    uint32_t minute = 0;  // slot / kSlotsOfAMinute
    uint64_t bytes_again = 0;
  };
  struct alignas(64) Part {
    mutable std::mutex mutex;
    Sums total;
    std::array<Slot, kSlotsOfAMinute> slots;
    std::array<Minute, kMinutes> minutes;
    std::unique_ptr<Entry[]> entries;  // array of `size` entries, a power of two
    size_t size = 0;
    size_t used = 0;
  };

  static uint32_t SlotOf(Time time) noexcept;
  static Entry* Find(Entry* entries, size_t size, uint64_t filter) noexcept;
  static void Count(Part* part, uint32_t slot, const Sums& load) noexcept;
  static bool Resize(Part* part, size_t size, uint64_t mask, uint32_t oldest) noexcept;
  Part* Parts() noexcept;
  bool Remember(Part* part, uint64_t filter, uint32_t bytes, uint32_t slot) noexcept;
  static void AddRecent(const Part& part, uint32_t now, FilterLoads* sums) noexcept;
  void MakeRoom(uint32_t now) noexcept;

  const size_t most_filters_;
  std::atomic<Part*> parts_{nullptr};
  std::atomic<size_t> filters_{0};      // number of entries of all parts
  std::atomic<uint32_t> last_{0};       // slot of the last load
  std::atomic<uint64_t> mask_{0};       // filters with any of these bits are not counted
  std::atomic<uint64_t> unknown_{0};    // loads that were not recorded, out of memory
  std::atomic<uint64_t> uncounted_{0};  // loads of unknown_ that no part counted
  std::atomic<uint64_t> uncounted_bytes_{0};
  std::mutex making_room_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_LOAD_TABLE_H_
