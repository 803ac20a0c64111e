// Which of a policy's filters were loaded, which of them again, and when.

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

// A filter is known by a number of 64 bits, a hash of its bytes (loaded_filter.h). The hash also
// says in which part of the table it is. Each part has a lock that is held for a few instructions,
// except while the part grows. Safe from any number of threads. Takes no memory before the first
// load. Throws nothing.
class LoadTable {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Times are kept as slots of this length.
  static constexpr std::chrono::seconds kSlot{5};
  static constexpr uint32_t kSlotsOfAMinute = 12;
  static constexpr uint32_t kMinutes = 10;
  static constexpr uint32_t kSlotsRemembered = kMinutes * kSlotsOfAMinute;
  // The most filters that are known one by one. If all were loaded in the last ten minutes, it is
  // seven eighths of this, 100,000.
  static constexpr size_t kMaxFilters = 114'286;

  explicit LoadTable(size_t most_filters = kMaxFilters) noexcept : most_filters_(most_filters) {}
  ~LoadTable();
  LoadTable(const LoadTable&) = delete;
  LoadTable& operator=(const LoadTable&) = delete;

  // Notes that a filter of so many bytes was loaded. Times of different threads may be out of
  // order.
  void Note(uint64_t filter, uint64_t bytes, Time now) noexcept;

  // The figures of the last minute, and what was loaded again in the last ten; others are 0. Takes
  // some microseconds.
  FilterLoads ReadRecent(Time now) const noexcept;
  // All figures except `alarms`. Looks at each filter, and takes up to a millisecond.
  FilterLoads Read(Time now) const noexcept;
  // The same since the first load.
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
  // Slots are counted from kFirstSlot on, so that slot 0, "never", is long ago on a machine that
  // has just started.
  static constexpr uint32_t kFirstSlot = 2 * kSlotsRemembered;
  struct Entry {
    uint64_t filter = 0;  // 0: none
    uint32_t bytes = 0;
    uint32_t last = 0;        // slot of the last load
    uint32_t last_again = 0;  // slot of the last load that was not the first
  };
  struct Slot {
    uint32_t slot = 0;
    Sums sums;
  };
  struct Minute {
    uint32_t minute = 0;  // slots of a minute are those of one number, divided
    uint64_t bytes_again = 0;
  };
  struct alignas(64) Part {
    mutable std::mutex mutex;
    Sums total;
    std::array<Slot, kSlotsOfAMinute> slots;
    std::array<Minute, kMinutes> minutes;
    std::unique_ptr<Entry[]> entries;  // as many as a power of two
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
  std::atomic<size_t> filters_{0};      // entries of all parts
  std::atomic<uint32_t> last_{0};       // slot of the last load
  std::atomic<uint64_t> mask_{0};       // only filters with none of these bits are known
  std::atomic<uint64_t> unknown_{0};    // loads that there was no memory for
  std::atomic<uint64_t> uncounted_{0};  // of these, those that no part counted
  std::atomic<uint64_t> uncounted_bytes_{0};
  std::mutex making_room_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_LOAD_TABLE_H_
