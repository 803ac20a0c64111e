// Elimination in one sub-shard of a bumped Ribbon layer, row by row. ribbon_build.cc says what
// elimination is, and by which papers.
//
// A row's walk is a chain of loads of which each waits for the one before. So it is cut into steps,
// and the caller walks rows of several sub-shards side by side: while one row waits, others move.

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

// A row: the coefficient in the high 48 bits, its lowest bit set, and the fingerprint in the
// low 16. 0: none.
inline constexpr unsigned kFingerprintBits = 64 - simd::kRibbonWidth;
inline constexpr uint64_t kCoefficientMask = ~uint64_t{0} << kFingerprintBits;
inline uint64_t MakeRow(uint64_t hash, simd::RibbonRows rows) noexcept {
  const uint64_t value_mask = rows.value_mask();
  const uint64_t fingerprint = Fingerprint(hash, rows.fingerprint_bits) & ~value_mask;
  return Coefficient(hash & ~value_mask) << kFingerprintBits | fingerprint | (hash & value_mask);
}

// A row on its way to an empty slot. A pointer, since the walks of all sub-shards must fit into the
// registers.
struct RibbonWalk {
  uint64_t row;
  uint64_t* at;
};

// One step of a walk: adds the row that is in the way and moves to the sum's lowest bit. False when
// the slot is empty, and then nothing changes, or when no coefficient is left.
inline bool Step(RibbonWalk* walk) {
  const uint64_t sum = walk->row ^ *walk->at;
  const uint64_t coefficient = sum & kCoefficientMask;
  walk->row = sum;
  if (coefficient == 0) return false;
  // Two rows have their lowest bit in common, so that an unchanged one means an empty slot.
  const unsigned distance = static_cast<unsigned>(__builtin_ctzll(coefficient)) - kFingerprintBits;
  if (distance == 0) return false;
  walk->at += distance;
  walk->row = coefficient >> distance | (sum & ~kCoefficientMask);
  return true;
}

// Inserts a row: where there are no others to walk beside it.
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

// Keys are dealt into bins of this many start positions, small enough to be sorted in the
// first-level cache.
inline constexpr unsigned kBinBits = 12;
inline constexpr uint32_t kBinSlots = uint32_t{1} << kBinBits;
static_assert(kBinSlots == 32 * simd::kRibbonBucketSlots);
// A bin with more keys than any random hashes give it is bumped whole.
inline constexpr uint64_t kMaxBinKeys = 2 * kBinSlots;

// Rounding to whole buckets may give a sub-shard one more than kMaxShardSlots has.
inline constexpr size_t kMaxRows = kMaxShardSlots + 2 * simd::kRibbonBucketSlots;

// State shared by all sub-shards of a layer.
struct LayerBuild {
  BumpedShape shape;
  simd::RibbonRows rows;
  uint32_t starts = 0;  // of all sub-shards
  unsigned char* thresholds = nullptr;
  HashChunkPool* pool = nullptr;
  const simd::RibbonElimination* elimination = nullptr;  // null: row by row
  HashBin* bumped = nullptr;  // receives the bumped hashes, as the next layer knows them

  void Bump(uint64_t hash) const {
    pool->Add(bumped, rows.are_items ? formulas::NextLayerItem(hash) : NextLayerHash(hash));
  }

  uint32_t shard_starts() const noexcept { return shape.buckets * simd::kRibbonBucketSlots; }
  uint32_t shard_blocks() const noexcept { return shape.buckets * 2 + 1; }
  uint32_t shard_bins() const noexcept { return (shard_starts() + kBinSlots - 1) / kBinSlots; }

  // Bins as cells; those from this sub-shard on.
  simd::RibbonGrid BinsFrom(uint32_t shard) const noexcept {
    return {shape.shard_bits, shard_starts(), kBinBits, shard_bins(), shard * shard_bins()};
  }
};

// A sub-shard that is eliminated row by row. Its tables are kept from one to the next.
class ShardByRows {
 public:
  ShardByRows();

  // Begins a sub-shard, whose bins it takes the hashes of. Returns the first walk; one at null when
  // the sub-shard is done.
  RibbonWalk Begin(const LayerBuild& layer, uint32_t shard, HashBin* bins);

  // Ends a walk in an empty slot, or with a row that has no coefficient left, and returns the next
  // one, at null when the sub-shard is done.
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
  uint32_t first_start_ = 0;   // of the sub-shard
  uint32_t first_bucket_ = 0;  // of the sub-shard
  uint32_t bucket_ = 0;
  unsigned class_ = 0;
  bool bin_is_bumped_ = false;
  HashBin* bins_ = nullptr;
  // The bin of bucket_, sorted by bucket and class; ends of the groups.
  uint32_t group_ends_[kBinSlots / simd::kRibbonBucketSlots * 3 + 1];
  uint32_t begin_ = 0;  // the first hash of the class
  // Walks of the class still to be done, and the slots that it filled.
  RibbonWalk* next_walk_ = nullptr;
  RibbonWalk* walks_end_ = nullptr;
  uint64_t** filled_end_ = nullptr;
  std::unique_ptr<uint64_t[]> rows_;
  std::unique_ptr<uint64_t[]> sorted_;
  std::unique_ptr<uint8_t[]> groups_;  // of the hashes of a bin that is being sorted
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
