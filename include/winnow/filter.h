// FilterView, which tells whether a key may be in a filter's file.

#ifndef WINNOW_FILTER_H_
#define WINNOW_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "winnow/fault.h"
#include "winnow/hash.h"
#include "winnow/options.h"
#include "winnow/version.h"

namespace winnow {

// Internal to the library.
namespace core {
class BloomBatch;
}
namespace simd {
struct Layer;
}

// Properties of a filter. If the block has a fault, only size_bytes is meaningful. Later versions
// may add members (winnow/version.h).
struct FilterInfo {
  FilterKind kind = FilterKind::kEmpty;
  uint64_t num_hashes = 0;  // hashes kept by the builder
  uint64_t size_bytes = 0;  // size of the block in bytes
  double bits_per_key = 0;  // size_bytes * 8 / num_hashes; 0 without hashes
  // Expected false-positive rate, 0 to 1. For Bloom, the mean over all filters of as many random
  // hashes; FilterView::CountedRate is the rate of one filter.
  double expected_fpr = 0;
  double target_fpr = 0;  // false-positive rate that the options asked for, 0 to 1
  int level = -1;         // FilterOptions::level; -1 unknown
  // Level plan by which target_fpr was chosen; kUniform if there was none. Readers of a later
  // version's filters may see an unnamed value.
  LevelPlan level_plan = LevelPlan::kUniform;
  double levels_below = -1;  // FilterOptions::levels_below; -1: unknown, or the rate depends on
                             // other files
  int version = 0;           // format version
  int probes = 0;            // Bloom: bits set per key
  int layers = 0;            // Ribbon: layers, the last one included
  double columns = 0;        // Ribbon: mean bits of fingerprint stored per slot
};

// A view of a filter's bytes, which the caller keeps alive and unchanged. The bytes are validated
// once, on construction, and may be unaligned. Cheap to copy. Lookups never throw, never allocate
// and never read outside the bytes, even if the bytes are damaged. Thread-safe.
//
// Damaged bytes: the constructor checks the tail and the directory, so that lookups are safe, but
// not the payload, which is nearly all of the bytes. One flipped bit in the payload makes the
// filter deny some of its keys. RocksDB verifies its blocks; view bytes that nothing else has
// checked with Verified once after reading them.
class WINNOW_EXPORT FilterView {
 public:
  // An empty view, which may contain everything.
  FilterView() noexcept = default;

  // If the bytes are unusable, the view may contain everything and fault() tells the reason.
  explicit FilterView(std::string_view block) noexcept;

  // Returns a view after checking the payload's checksum as well. If the payload is damaged,
  // fault() is kPayload and the view may contain everything. Takes time in proportion to the bytes,
  // about as long as reading them from memory (docs/embedding.md has figures).
  static FilterView Verified(std::string_view block) noexcept;

  Fault fault() const noexcept { return fault_; }

  // Returns false only if no key with this hash was added. For random hashes that were not added,
  // returns true at the rate CountedRate(), about info().expected_fpr. The rate is lower in a Bloom
  // filter to which equal hashes were added that were not adjacent.
  bool MayContain(KeyHash hash) const noexcept { return ask_(FirstLayer(), hash.value); }

  // Looks up n hashes and assigns all n results. In filters larger than the CPU caches, a batch is
  // several times faster than single lookups, since cache misses overlap.
  void MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept;

  // Returns the filter's properties. Reads the whole directory and, for Ribbon, the thresholds: too
  // slow for the lookup path.
  WINNOW_HIDDEN FilterInfo info() const noexcept {
    FilterInfo info;
    FillInfo(&info, sizeof info);
    return info;
  }

  // Returns this filter's share of absent keys that it may contain, 0 to 1. Counted from the bits
  // of a Bloom filter, where info() has only the mean: filters of 10,000 keys at 10 bits per key
  // lie within 2% of the mean. For a Ribbon filter, info().expected_fpr, unless its last layer is a
  // Bloom filter. 1 for a block with a fault. Reads all bytes of a Bloom filter and takes 10 to 40
  // ns per byte.
  double CountedRate() const noexcept;

  // Recomputes the payload's checksum over all bytes. Returns false if the block has a fault.
  bool PayloadIntact() const noexcept;

 private:
  friend class core::BloomBatch;
  struct Kept;  // State by kind of filter

  using Ask = bool (*)(const simd::Layer& first, uint64_t hash) noexcept;
  static bool ContainsAll(const simd::Layer&, uint64_t) noexcept { return true; }
  const simd::Layer& FirstLayer() const noexcept {
    return reinterpret_cast<const simd::Layer&>(state_);
  }
  void FillInfo(FilterInfo* info, size_t size) const noexcept;
  WINNOW_HIDDEN std::string_view block() const noexcept;

  // A lookup reads ask_ and the first layer, which is at the start of the state, and mostly no
  // more. All objects in the state have types of the library that may be copied as bytes.
  Ask ask_ = ContainsAll;
  struct alignas(8) State {
    unsigned char bytes[104];
  };
  State state_ = {};
  FilterKind kind_ = FilterKind::kEmpty;  // kind of a filter whose first layer is ready for kernels
  Fault fault_ = Fault::kTooShort;
};

static_assert(std::is_trivially_copyable_v<FilterView> && std::is_standard_layout_v<FilterView>);

}  // namespace winnow

#endif  // WINNOW_FILTER_H_
