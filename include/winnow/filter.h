// Asking a finished filter whether a key may be in its file.

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

// Properties of a filter. For a block with a fault only size_bytes says something. It grows
// (winnow/version.h).
struct FilterInfo {
  FilterKind kind = FilterKind::kEmpty;
  uint64_t num_hashes = 0;  // hashes kept by the builder
  uint64_t size_bytes = 0;  // of the whole block
  double bits_per_key = 0;  // size_bytes * 8 / num_hashes; 0 without hashes
  // Share of absent keys for which the filter says "may contain", 0 to 1. For Bloom the mean of all
  // filters of so many random hashes: FilterView::CountedRate is that of one.
  double expected_fpr = 0;
  double target_fpr = 0;  // the rate that the options asked for, 0 to 1
  int level = -1;         // FilterOptions::level; -1 unknown
  // Level plan by which target_fpr was chosen; kUniform where there was none. Readers of a later
  // version's filters may see a plan without a name.
  LevelPlan level_plan = LevelPlan::kUniform;
  double levels_below = -1;  // FilterOptions::levels_below; -1: unknown, or other files decided
  int version = 0;           // of the format
  int probes = 0;            // Bloom: bits set for each key
  int layers = 0;            // Ribbon: layers, the last one included
  double columns = 0;        // Ribbon: mean bits of fingerprint stored for each slot
};

// A view of a filter's bytes, which the caller keeps alive and unchanged. Validated once, when it
// is made; cheap to copy. Bytes may lie at any address. A lookup never throws, never allocates and
// reads nothing outside the bytes, whatever these are. Safe from any number of threads.
//
// Damaged bytes: what the tail and the directory say is checked always, so that a lookup is safe.
// The payload, nearly all of the bytes, is not: one flipped bit there makes a filter deny some of
// its keys. Bytes that nothing else has checked, as RocksDB checks its blocks, should be viewed
// with Verified once after they were read.
class WINNOW_EXPORT FilterView {
 public:
  // Contains everything: what is not known is never "absent".
  FilterView() noexcept = default;

  // Bytes that it can't use may contain everything, and fault() says why.
  explicit FilterView(std::string_view block) noexcept;

  // The same, with the payload's checksum computed as well: a damaged one is kPayload and may
  // contain everything. Takes time in proportion to the bytes, about as long as reading them from
  // memory (docs/embedding.md has the figure).
  static FilterView Verified(std::string_view block) noexcept;

  Fault fault() const noexcept { return fault_; }

  // False only if no key with this hash was added. For random hashes that were not added, true at
  // the rate CountedRate(), about info().expected_fpr; at a lower one in a Bloom filter to which
  // hashes were added more than once, apart from each other.
  bool MayContain(KeyHash hash) const noexcept { return ask_(FirstLayer(), hash.value); }

  // The same for n hashes; every one of the n results is assigned. In filters larger than the
  // caches this is several times faster than one lookup after the other, since the misses overlap.
  void MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept;

  // Reads the whole directory and, for Ribbon, the thresholds: not for the path of lookups.
  WINNOW_HIDDEN FilterInfo info() const noexcept {
    FilterInfo info;
    FillInfo(&info, sizeof info);
    return info;
  }

  // The share of absent keys that this very filter contains, 0 to 1. A Bloom filter's is counted
  // from its bits, where info() has the mean: of 10,000 keys at 10 bits filters lie 2 % around it.
  // A Ribbon filter's is info().expected_fpr, unless its last layer is a Bloom filter. 1 for a
  // block with a fault. Reads all bytes of a Bloom filter, at 10 to 40 ns each.
  double CountedRate() const noexcept;

  // Recomputes the payload's checksum, over all bytes. False for a block with a fault.
  bool PayloadIntact() const noexcept;

 private:
  friend class core::BloomBatch;
  struct Kept;  // what the state may be, by kind

  using Ask = bool (*)(const simd::Layer& first, uint64_t hash) noexcept;
  static bool ContainsAll(const simd::Layer&, uint64_t) noexcept { return true; }
  const simd::Layer& FirstLayer() const noexcept {
    return reinterpret_cast<const simd::Layer&>(state_);
  }
  void FillInfo(FilterInfo* info, size_t size) const noexcept;
  WINNOW_HIDDEN std::string_view block() const noexcept;

  // A lookup reads the function and the first layer, with which the state begins, and mostly no
  // more. Objects of the library's own types: a copy of the bytes is a copy of them.
  Ask ask_ = ContainsAll;
  struct alignas(8) State {
    unsigned char bytes[104];
  };
  State state_ = {};
  FilterKind kind_ = FilterKind::kEmpty;  // of a filter whose first layer is ready for kernels
  Fault fault_ = Fault::kTooShort;
};

static_assert(std::is_trivially_copyable_v<FilterView> && std::is_standard_layout_v<FilterView>);

}  // namespace winnow

#endif  // WINNOW_FILTER_H_
