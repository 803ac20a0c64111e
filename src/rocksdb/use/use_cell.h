// Counters of the checks and answers of filters with one policy, column family and level.

#ifndef WINNOW_SRC_ROCKSDB_USE_USE_CELL_H_
#define WINNOW_SRC_ROCKSDB_USE_USE_CELL_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "src/rocksdb/lookups/counted_asks.h"

namespace winnow::plugin {

// Sums of counters. Each counted check stands for several.
struct UseSums {
  uint64_t asks = 0;    // checks of keys and prefixes, once per filter
  uint64_t denied = 0;  // checks that filters denied
  uint64_t asks_counted = 0;
  uint64_t denied_counted = 0;
  // Estimated false positives, from the denied keys: a filter with the rate p has p/(1-p) of them
  // per denied key. And the estimated variance of this number.
  double false_positives = 0;
  double false_positives_variance = 0;
  uint64_t ranges_asked = 0;  // seeks checked against range filters, once per filter
  uint64_t ranges_denied = 0;
  // Sums over existing readers.
  uint64_t filters = 0;
  uint64_t keys = 0;
  uint64_t bytes = 0;
};

UseSums& operator+=(UseSums& sums, const UseSums& more) noexcept;

// Reference-counted counters, owned by a meter and all readers. Thread-safe. Threads share
// kCountSlots sets of counters evenly, so that they seldom wait for each other.
class UseCell {
 public:
  UseCell() = default;
  UseCell(const UseCell&) = delete;
  UseCell& operator=(const UseCell&) = delete;

  // ---- For lookups: never waits, allocates or throws.

  // Counts the answer of a filter with this false-positive rate, which must be below 1.
  void Note(const CountedAsk& ask, double rate, bool may_contain) noexcept;
  void NoteRange(uint32_t slot, bool may_contain) noexcept;

  // ---- For owners

  void Keep() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  void GiveBack() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // Count a new reader, which must have called Keep, and a destroyed reader, whose reference
  // Unloaded releases.
  void Loaded(uint64_t keys, uint64_t bytes) noexcept;
  void Unloaded(uint64_t keys, uint64_t bytes) noexcept;

  bool has_filters() const noexcept { return filters_.load(std::memory_order_relaxed) > 0; }

  // Returns the sums. While other threads count, each number is one of the values that it had
  // during the call.
  UseSums Read() const noexcept;

 private:
  ~UseCell() = default;

  struct alignas(64) Slot {
    std::atomic<uint64_t> asks{0};
    std::atomic<uint64_t> denied{0};
    std::atomic<uint64_t> asks_counted{0};
    std::atomic<uint64_t> denied_counted{0};
    std::atomic<double> false_positives{0};
    std::atomic<double> variance{0};
    std::atomic<uint64_t> ranges_asked{0};
    std::atomic<uint64_t> ranges_denied{0};
  };
  static_assert(sizeof(Slot) == 64);

  std::atomic<uint64_t> owners_{1};
  std::atomic<uint64_t> filters_{0};
  std::atomic<uint64_t> keys_{0};
  std::atomic<uint64_t> bytes_{0};
  std::array<Slot, kCountSlots> slots_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_USE_USE_CELL_H_
