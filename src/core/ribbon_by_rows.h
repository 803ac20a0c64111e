// Gaussian elimination in one sub-shard of a bumped Ribbon layer, row by row. ribbon_build.cc
// describes elimination and names the papers.
//
// A row's walk is a chain of dependent loads. It is split into steps, so that the caller can
// interleave the walks of several sub-shards and hide the latency.

#ifndef WINNOW_SRC_CORE_RIBBON_BY_ROWS_H_
#define WINNOW_SRC_CORE_RIBBON_BY_ROWS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/core/hash_chunks.h"
#include "src/core/ribbon.h"
#include "src/core/sizing.h"
#include "src/simd/kernels.h"

namespace winnow::core {

// A row: the coefficient in the high 48 bits, normalized so that its lowest bit is set, and the
// fingerprint in the low 16. 0: none.
inline constexpr unsigned kFingerprintBits = 64 - simd::kRibbonWidth;
inline constexpr uint64_t kCoefficientMask = ~uint64_t{0} << kFingerprintBits;
inline uint64_t MakeRow(uint64_t hash, simd::RibbonRows rows) noexcept {
  const uint64_t value_mask = rows.value_mask();
  const uint64_t fingerprint = Fingerprint(hash, rows.fingerprint_bits) & ~value_mask;
  return Coefficient(hash & ~value_mask) << kFingerprintBits | fingerprint | (hash & value_mask);
}

// A row on its way to an empty slot. Has a pointer, since the walks of all sub-shards must fit into
// registers.
struct RibbonWalk {
  uint64_t row;
  uint64_t* at;
};

// Takes one step of a walk: adds the row in the current slot and moves to the sum's lowest bit.
// Returns false if the slot is empty, which changes nothing, or if no coefficient is left.
inline bool Step(RibbonWalk* walk) {
  const uint64_t sum = walk->row ^ *walk->at;
  const uint64_t coefficient = sum & kCoefficientMask;
  walk->row = sum;
  if (coefficient == 0) return false;
  // Both rows have their lowest bit set, so that an unchanged lowest bit means an empty slot.
  const unsigned distance = static_cast<unsigned>(__builtin_ctzll(coefficient)) - kFingerprintBits;
  if (distance == 0) return false;
  walk->at += distance;
  walk->row = coefficient >> distance | (sum & ~kCoefficientMask);
  return true;
}

// Inserts a row on its own, if there are no other walks to interleave.
enum class InsertResult { kFilled, kRedundant, kContradiction };
inline InsertResult InsertRow(RibbonWalk* walk) {
  while (Step(walk)) {
  }
  if (*walk->at != 0 || (walk->row & kCoefficientMask) == 0) {
    return walk->row == 0 ? InsertResult::kRedundant : InsertResult::kContradiction;
  }
  *walk->at = walk->row;
  return InsertResult::kFilled;
}

inline constexpr uint32_t kBumpClasses = 3;

// Keys are distributed to bins of 2^kBinBits start positions, small enough to be sorted in the
// first-level cache.
inline constexpr unsigned kBinBits = 12;
inline constexpr uint32_t kBinSlots = uint32_t{1} << kBinBits;
static_assert(kBinSlots == 32 * simd::kRibbonBucketSlots);
// Maximum number of keys of a bin, more than random hashes give; a larger bin is bumped as a whole.
inline constexpr uint64_t kMaxBinKeys = 2 * kBinSlots;

// Rounding to whole buckets may give a sub-shard one bucket more than kMaxShardSlots.
inline constexpr size_t kMaxRows = kMaxShardSlots + 2 * simd::kRibbonBucketSlots;

// State shared by all sub-shards of a layer.
struct LayerBuild {
  BumpedShape shape;
  simd::RibbonRows rows;
  uint32_t starts = 0;  // start positions of all sub-shards
  unsigned char* thresholds = nullptr;
  HashChunkPool* pool = nullptr;
  const simd::RibbonElimination* elimination = nullptr;  // null: row by row
  HashBin* bumped = nullptr;  // receives the bumped hashes, as the next layer hashes them

  void Bump(uint64_t hash) const {
    pool->Add(bumped, rows.are_items ? formulas::NextLayerItem(hash) : NextLayerHash(hash));
  }

  uint32_t shard_starts() const noexcept { return shape.buckets * simd::kRibbonBucketSlots; }
  uint32_t shard_blocks() const noexcept { return shape.buckets * 2 + 1; }
  uint32_t shard_bins() const noexcept { return (shard_starts() + kBinSlots - 1) / kBinSlots; }

  // Returns the bins, as a grid of cells, from this sub-shard on.
  simd::RibbonGrid BinsFrom(uint32_t shard) const noexcept {
    return {shape.shard_bits, shard_starts(), kBinBits, shard_bins(), shard * shard_bins()};
  }
};

// A sub-shard that is eliminated row by row. Its tables are reused for the next one.
class ShardByRows {
 public:
  ShardByRows();

  // Begins a sub-shard and takes the hashes of its bins. Returns the first walk, or one at null if
  // the sub-shard is done.
  RibbonWalk Begin(const LayerBuild& layer, uint32_t shard, HashBin* bins);

  // Ends a walk, in an empty slot or with a row that has no coefficient left, and returns the next
  // one, or one at null if the sub-shard is done.
  RibbonWalk Next(RibbonWalk walk) {
    if (*walk.at == 0 && walk.row >= (uint64_t{1} << kFingerprintBits)) {
      *walk.at = walk.row;
      *filled_end_++ = walk.at;
    } else if (walk.row != 0) {
      return FailClass();
    }
    if (next_walk_ != walks_end_) return *next_walk_++;
    return FinishClass();
  }

  uint64_t* rows() noexcept { return rows_.get(); }

 private:
  RibbonWalk FailClass();
  RibbonWalk FinishClass();
  RibbonWalk BeginClasses();
  void PlaceClass();
  bool EndBucket();
  void LoadBin();

  const LayerBuild* layer_ = nullptr;
  uint32_t first_start_ = 0;   // first start position of the sub-shard
  uint32_t first_bucket_ = 0;  // first bucket of the sub-shard
  uint32_t bucket_ = 0;
  unsigned class_ = 0;
  bool bin_is_bumped_ = false;
  HashBin* bins_ = nullptr;
  // Group ends of the bin of bucket_, which is sorted by bucket and class.
  uint32_t group_ends_[kBinSlots / simd::kRibbonBucketSlots * 3 + 1];
  uint32_t begin_ = 0;  // first hash of the class
  // Remaining walks of the class, and the slots that it filled.
  RibbonWalk* next_walk_ = nullptr;
  RibbonWalk* walks_end_ = nullptr;
  uint64_t** filled_end_ = nullptr;
  std::unique_ptr<uint64_t[]> rows_;
  std::unique_ptr<uint64_t[]> sorted_;
  std::unique_ptr<uint8_t[]> groups_;  // groups of the hashes of the bin being sorted
  std::unique_ptr<RibbonWalk[]> walks_;
  std::unique_ptr<uint64_t*[]> filled_;
};

inline constexpr size_t kShardsByRowsBytes =
    kShardsAtOnce * (sizeof(ShardByRows) + kMaxRows * sizeof(uint64_t) +
                     (kMaxBinKeys + 1) * (sizeof(uint64_t) + sizeof(uint8_t) + sizeof(RibbonWalk) +
                                          sizeof(uint64_t*)));

using ShardsByRows = std::array<ShardByRows, kShardsAtOnce>;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RIBBON_BY_ROWS_H_
