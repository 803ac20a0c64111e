// Counters of what the filters of one policy and one level are asked, and of their answers.

#ifndef WINNOW_SRC_ROCKSDB_USE_USE_CELL_H_
#define WINNOW_SRC_ROCKSDB_USE_USE_CELL_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "src/rocksdb/lookups/counted_asks.h"

namespace winnow::plugin {

// Sums. Of asks, each that was counted stands for several.
struct UseSums {
  uint64_t asks = 0;    // keys and prefixes that filters were asked for, once for each filter
  uint64_t denied = 0;  // of these, those that filters answered with "no"
  uint64_t asks_counted = 0;
  uint64_t denied_counted = 0;
  // False positives as expected from the answers "no": a filter with the rate p has p/(1-p) of them
  // for each. And the variance of that, as an estimate.
  double false_positives = 0;
  double false_positives_variance = 0;
  uint64_t ranges_asked = 0;  // seeks that range filters were asked for, each one
  uint64_t ranges_denied = 0;
  // Sums over the readers that exist now.
  uint64_t filters = 0;
  uint64_t keys = 0;
  uint64_t bytes = 0;
};

UseSums& operator+=(UseSums& sums, const UseSums& more) noexcept;

// Lives until its owner and all readers have given it back. Safe from any number of threads. A
// thread adds to numbers that it has for itself, if it has one of the first kOwnSlots slots; all
// others add to the same numbers, by atomic operations, so that none is lost.
class UseCell {
 public:
  explicit UseCell(int level) noexcept : level_(level) {}
  UseCell(const UseCell&) = delete;
  UseCell& operator=(const UseCell&) = delete;

  int level() const noexcept { return level_; }

  // ---- For lookups: never waits, allocates or throws.

  // A filter with this rate of false positives, below 1, gave this answer.
  void Note(const CountedAsk& ask, double rate, bool may_contain) noexcept;
  void NoteRange(uint32_t slot, bool may_contain) noexcept;

  // ---- For owners

  void Keep() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  void GiveBack() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // A reader of such a filter was made, and has kept this; or it is destroyed, and gives it back.
  void Loaded(uint64_t keys, uint64_t bytes) noexcept;
  void Unloaded(uint64_t keys, uint64_t bytes) noexcept;

  // While others count, each number is one that it had during the call.
  UseSums Read() const noexcept;

 private:
  ~UseCell() = default;

  // Counters of one thread, or of all that share the last.
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

  const int level_;
  std::atomic<uint64_t> owners_{1};
  std::atomic<uint64_t> filters_{0};
  std::atomic<uint64_t> keys_{0};
  std::atomic<uint64_t> bytes_{0};
  std::array<Slot, kOwnSlots + 1> slots_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_USE_USE_CELL_H_
