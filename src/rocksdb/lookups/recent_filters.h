// Which filters a thread asked lately, in batches. A filter that it asks again soon is still in the
// processor's own cache. It need not be prefetched, which would take a tenth of such a batch's
// time.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_RECENT_FILTERS_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_RECENT_FILTERS_H_

#include <cstddef>
#include <cstdint>

namespace winnow::plugin {

// Belongs to one thread. It guesses: a filter that is forgotten, or taken for another one, costs
// only time.
class RecentFilters {
 public:
  // Notes that these bytes are asked. Returns whether less than `near_bytes` were asked since the
  // last time, these bytes included, where each filter counts as a whole each time. Bytes are known
  // by their address.
  bool Note(const void* bytes, size_t size, size_t near_bytes) noexcept {
    // Scattered, because filters may lie at equal distances.
    const uint64_t scattered = reinterpret_cast<uintptr_t>(bytes) * 0x9e3779b97f4a7c15u;
    Last& last = lasts_[scattered >> (64 - kSlotBits)];
    const auto name = static_cast<uint32_t>(scattered >> (32 - kSlotBits));
    asked_ += static_cast<uint32_t>(size / kUnit);
    const bool is_near = last.name == name && asked_ - last.asked < near_bytes / kUnit;
    last = {name, asked_};
    return is_near;
  }

 private:
  static constexpr unsigned kSlotBits = 5;
  static constexpr size_t kUnit = 64;

  struct Last {
    uint32_t name;
    uint32_t asked;  // the sum then
  };

  uint32_t asked_;  // units; goes round
  Last lasts_[1 << kSlotBits];
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_RECENT_FILTERS_H_
