// Cache of the filters that a thread checked lately, in batches. A filter that is checked again
// soon is still in the processor's cache and need not be prefetched, which would take a tenth of
// such a batch's time.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_RECENT_FILTERS_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_RECENT_FILTERS_H_

#include <cstddef>
#include <cstdint>

namespace winnow::plugin {

// Direct-mapped cache of one thread. Best-effort: a filter that is forgotten, or mistaken for
// another, costs only time.
class RecentFilters {
 public:
  // Records a check of these bytes, identified by their address. Returns whether less than
  // `near_bytes` were checked since the last check of these bytes, including them, where each
  // filter counts with its whole size each time.
  bool Note(const void* bytes, size_t size, size_t near_bytes) noexcept {
    // Hashes the address, because filters may have equal distances.
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
    uint32_t asked;  // asked_ at its last check
  };

  uint32_t asked_ = 0;  // sum in units of kUnit bytes; wraps around
  Last lasts_[1 << kSlotBits] = {};
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_RECENT_FILTERS_H_
