// Positions by retrieval: a Ribbon that gives back the low bits of a key's position for the bits
// above them, its block, and bits of a fingerprint of the block. A static function, of
// Dietzfelbinger and Pagh (2008), takes fewer bits than any stored set, as it need not say which
// blocks it has: of others it gives back anything, which the fingerprint finds out. FORMAT.md has
// the bytes.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_RETRIEVAL_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_RETRIEVAL_H_

#include <cstddef>
#include <cstdint>

#include "src/core/format.h"
#include "src/core/ranges/range_elias_fano.h"
#include "src/core/ranges/range_hash.h"
#include "src/formulas/hash_parts.h"
#include "src/simd/kernels.h"
#include "winnow/fault.h"

namespace winnow::core {

// Shape of a retrieval, from 8 bytes of the front.
struct RetrievalShape {
  uint8_t low_bits = 0;  // of a position in its block; at most columns.whole
  uint8_t layers = 0;    // bumped ones, and the last may be small
  uint16_t columns = 0;  // packed: those of the Ribbon, the bits that it gives back
  uint32_t crowded = 0;  // keys whose blocks have several, or that would be the escape

  Columns UnpackedColumns() const noexcept { return UnpackColumns(columns); }
  unsigned FingerprintBits() const noexcept { return UnpackedColumns().most() - low_bits; }
  // The low bits that say: the block's keys are among the crowded ones.
  uint64_t Escape() const noexcept { return (uint64_t{1} << low_bits) - 1; }

  bool IsValid() const noexcept;
  // How the crowded keys' numbers are stored, if there are any.
  EliasFanoShape CrowdedShape() const noexcept;
  uint64_t CrowdedBytes() const noexcept;
};
static_assert(sizeof(RetrievalShape) == 8);

// Bounds of low_bits below the columns: a range that touches more blocks than fingerprints tell
// apart always passes.
inline constexpr unsigned kMostFingerprintBits = 8;
inline constexpr unsigned kLeastLowBits = 3;
inline constexpr unsigned kMostRetrievalLayers = 16;
inline constexpr size_t kListedItemBytes = 8;
// Behind the arrays, for loads of all columns.
inline constexpr size_t kRetrievalPadding = 8 * simd::kRibbonMaxColumns;

// The item of a block without a value: what HashOfItem of an item is. `hash` is that of the bytes
// before the position.
inline uint64_t BlockItem(uint64_t hash, uint64_t block) noexcept {
  return formulas::HashOfItem(MixRange(hash + block * kRangeMultiplier));
}
inline uint64_t BlockFingerprint(uint64_t item, unsigned bits) noexcept {
  return bits == 0 ? 0 : formulas::Fingerprint(item, bits);
}
// Where the positions of a block are among the numbers of crowded keys.
inline uint64_t CrowdedBase(uint64_t item, const RetrievalShape& shape) noexcept {
  __extension__ using Wide = unsigned __int128;
  const uint64_t blocks = uint64_t{shape.crowded} << shape.FingerprintBits();
  return static_cast<uint64_t>((Wide{MixRange(item)} * blocks) >> 64) << shape.low_bits;
}

// Reads nothing outside its bytes, whatever they are.
class RangeRetrieval {
 public:
  RangeRetrieval() noexcept = default;
  // Bytes behind the front, which CheckRetrieval found right.
  RangeRetrieval(const RetrievalShape& shape, const unsigned char* bytes, size_t size) noexcept;

  // Returns whether there may be a key with a position from `least` to `most` behind bytes with
  // this hash.
  bool AnyBetween(uint64_t hash, uint64_t least, uint64_t most) const noexcept;

  // Ranges of twice as many positions as so many bits count always pass.
  unsigned position_bits() const noexcept { return shape_.low_bits + fingerprint_bits_; }

 private:
  bool BlockHas(uint64_t item, uint64_t least, uint64_t most) const noexcept;
  bool LaterLayersHave(uint64_t item, uint64_t first_item, uint64_t least,
                       uint64_t most) const noexcept;
  bool IsValueWithin(uint64_t value, unsigned columns, uint64_t item, uint64_t least,
                     uint64_t most) const noexcept;

  simd::RibbonLayer first_;  // where it is bumped
  RetrievalShape shape_;
  const unsigned char* layers_ = nullptr;
  const unsigned char* list_ = nullptr;
  const unsigned char* entries_ = nullptr;
  decltype(simd::Kernels::ribbon_retrieve) retrieve_ = nullptr;
  uint32_t listed_ = 0;
  uint8_t fingerprint_bits_ = 0;
};

// Checks all that makes questions safe.
Fault CheckRetrieval(const RetrievalShape& shape, const unsigned char* bytes, size_t size) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_RETRIEVAL_H_
