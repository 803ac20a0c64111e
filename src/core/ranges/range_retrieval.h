// Positions by retrieval: a Ribbon maps a position's high bits, its block, to its low bits and a
// fingerprint of the block. A retrieval data structure (Dietzfelbinger and Pagh, 2008) takes fewer
// bits than a set, since it does not store its keys: for other blocks it returns arbitrary values,
// which the fingerprint detects. FORMAT.md describes the bytes.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_RETRIEVAL_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_RETRIEVAL_H_

#include <cstddef>
#include <cstdint>

#include "src/core/format.h"
#include "src/core/ranges/range_elias_fano.h"
#include "src/core/ranges/range_hash.h"
#include "src/formulas/hash_parts.h"
#include "src/formulas/ribbon_layer.h"
#include "src/simd/kernels.h"
#include "winnow/fault.h"

namespace winnow::core {

// Shape of a retrieval, read from 8 bytes of the front.
struct RetrievalShape {
  uint8_t low_bits = 0;  // low bits of a position within its block; at most columns.whole
  uint8_t layers = 0;    // bumped layers, and possibly a small one at the end
  uint16_t columns = 0;  // packed columns of the Ribbon, the bits that it returns
  uint32_t crowded = 0;  // keys in blocks with several keys, or whose value would be the escape

  Columns UnpackedColumns() const noexcept { return UnpackColumns(columns); }
  unsigned FingerprintBits() const noexcept { return UnpackedColumns().most() - low_bits; }
  // Returns the low bits that mean that the block's keys are stored as crowded keys.
  uint64_t Escape() const noexcept { return (uint64_t{1} << low_bits) - 1; }

  bool IsValid() const noexcept;
  // Returns the shape of the crowded keys' numbers; there must be some.
  EliasFanoShape CrowdedShape() const noexcept;
  uint64_t CrowdedBytes() const noexcept;
};
static_assert(sizeof(RetrievalShape) == 8);

// Bounds of low_bits relative to the columns: a range that touches more blocks than the
// fingerprints can tell apart always passes.
inline constexpr unsigned kMostFingerprintBits = 8;
inline constexpr unsigned kLeastLowBits = 3;
inline constexpr unsigned kMostRetrievalLayers = 16;
inline constexpr size_t kListedItemBytes = 8;
// Padding behind the arrays, for loads of all columns.
inline constexpr size_t kRetrievalPadding = 8 * simd::kRibbonMaxColumns;

// Returns the item of a block, without a value. `hash` is that of the bytes before the position.
inline uint64_t BlockItem(uint64_t hash, uint64_t block) noexcept {
  return formulas::HashOfItem(MixRange(hash + block * kRangeMultiplier));
}
inline uint64_t BlockFingerprint(uint64_t item, unsigned bits) noexcept {
  return bits == 0 ? 0 : formulas::Fingerprint(item, bits);
}
// Returns the first of a block's positions among the numbers of crowded keys.
inline uint64_t CrowdedBase(uint64_t item, const RetrievalShape& shape) noexcept {
  __extension__ using Wide = unsigned __int128;
  const uint64_t blocks = uint64_t{shape.crowded} << shape.FingerprintBits();
  return static_cast<uint64_t>((Wide{MixRange(item)} * blocks) >> 64) << shape.low_bits;
}

// Reader of a retrieval. Reads nothing outside its bytes, even if these are damaged.
class RangeRetrieval {
 public:
  RangeRetrieval() noexcept = default;
  // Takes the bytes behind the front, which CheckRetrieval must have accepted.
  RangeRetrieval(const RetrievalShape& shape, const unsigned char* bytes, size_t size) noexcept;

  // Returns whether there may be a key with a position from `least` to `most`, behind bytes with
  // this hash.
  bool AnyBetween(uint64_t hash, uint64_t least, uint64_t most) const noexcept;

  // Returns whether there may be a key with this position, behind bytes with this hash.
  bool Has(uint64_t hash, uint64_t position) const noexcept {
    const uint64_t low = position & shape_.Escape();
    return BlockHas(BlockItem(hash, position >> shape_.low_bits), low, low);
  }

  // Has for n positions, n <= kMostAtOnce: cache misses overlap.
  static constexpr size_t kMostAtOnce = simd::Kernels::kMostRetrieved;
  void HasEach(const uint64_t* hashes, const uint64_t* positions, size_t n,
               bool* results) const noexcept;

 private:
  __attribute__((always_inline)) bool BlockHas(uint64_t item, uint64_t least,
                                               uint64_t most) const noexcept {
    if (__builtin_expect(first_.thresholds == nullptr || IsBumped(item), 0)) {
      return AnyLayerHas(item, item, least, most);
    }
    unsigned columns;
    const uint64_t value = retrieve_(first_, item, &columns);
    return IsValueWithin(value, columns, item, least, most);
  }
  // Returns whether the first layer, which must be bumped, bumps the item.
  bool IsBumped(uint64_t item) const noexcept {
    return formulas::IsBumped(first_.thresholds, formulas::StartPosition(item, first_.starts));
  }
  bool AnyLayerHas(uint64_t item, uint64_t first_item, uint64_t least,
                   uint64_t most) const noexcept;
  // `columns` is the number of relevant columns of the value. `item` is that of the block in the
  // first layer.
  bool IsValueWithin(uint64_t value, unsigned columns, uint64_t item, uint64_t least,
                     uint64_t most) const noexcept {
    // Fast path: nearly all values that a single lookup gets have other low bits. One comparison,
    // as whether they are below `least` can't be predicted.
    const uint64_t low = value & shape_.Escape();
    const bool is_crowded = low == shape_.Escape();
    if (!is_crowded && low - least > most - least) return false;
    return IsOfBlock(value, columns, item) && (!is_crowded || AnyCrowded(item, least, most));
  }
  bool IsOfBlock(uint64_t value, unsigned columns, uint64_t item) const noexcept;
  bool AnyCrowded(uint64_t item, uint64_t least, uint64_t most) const noexcept;
  // Returns the crowded keys, behind the list.
  const unsigned char* Crowded() const noexcept {
    return entries_ - kRetrievalPadding - shape_.CrowdedBytes();
  }

  unsigned fingerprint_bits() const noexcept {
    return 64u - first_.fingerprint_shift - shape_.low_bits;
  }

  // The first layer, if it is bumped. In any case, `words` and `fingerprint_shift` are set.
  simd::RibbonLayer first_;
  RetrievalShape shape_;
  const unsigned char* entries_ = nullptr;
  decltype(simd::Kernels::ribbon_retrieve) retrieve_ = nullptr;
};

// Validates everything that makes lookups safe.
Fault CheckRetrieval(const RetrievalShape& shape, const unsigned char* bytes, size_t size) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_RETRIEVAL_H_
