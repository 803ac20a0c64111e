// Elimination in one sub-shard of a bumped Ribbon layer, cut into steps so that several sub-shards
// can be walked side by side. ribbon_build.cc says what elimination is.

#ifndef WINNOW_SRC_CORE_RIBBON_LANE_H_
#define WINNOW_SRC_CORE_RIBBON_LANE_H_

#include <cstdint>
#include <memory>

#include "src/core/hash_chunks.h"
#include "src/core/ribbon.h"
#include "src/core/sizing.h"

namespace winnow::core {

inline constexpr uint64_t kCoefficientMask = (uint64_t{1} << simd::kRibbonWidth) - 1;

// A row: the coefficient in the low 48 bits, its lowest bit set, and the fingerprint in the
// high 16. 0: none.
inline uint64_t MakeRow(uint64_t hash, unsigned fingerprint_bits) noexcept {
  return Coefficient(hash) | Fingerprint(hash, fingerprint_bits) << simd::kRibbonWidth;
}

// Keys are dealt into bins of this many start positions, small enough to be sorted in the
// first-level cache.
inline constexpr uint32_t kBinSlots = 32 * simd::kRibbonBucketSlots;
// A bin with more keys than any random hashes give it is bumped whole.
inline constexpr uint64_t kMaxBinKeys = 2 * kBinSlots;

// What all sub-shards of a layer share.
struct LayerBuild {
  BumpedShape shape;
  unsigned fingerprint_bits = 0;
  uint32_t starts = 0;  // of all sub-shards
  unsigned char* thresholds = nullptr;
  HashChunkPool* pool = nullptr;
  HashBin* bumped = nullptr;  // receives the bumped hashes, as the next layer knows them

  uint32_t shard_starts() const noexcept { return shape.buckets * simd::kRibbonBucketSlots; }
  uint32_t shard_blocks() const noexcept { return shape.buckets * 2 + 1; }
  uint32_t shard_bins() const noexcept { return (shard_starts() + kBinSlots - 1) / kBinSlots; }
};

// A row on its way to an empty slot.
struct RibbonWalk {
  uint64_t row;
  uint64_t slot;
};

// The tables of one lane, kept from one sub-shard to the next.
class RibbonLane {
 public:
  RibbonLane();

  // Begins a sub-shard, whose bins it takes the hashes of. Returns the first walk. When there is
  // none, done() is true and the walk is not one.
  RibbonWalk Begin(const LayerBuild& layer, uint32_t shard, HashBin* bins);

  // Ends a walk in an empty slot, or with a row that has no coefficient left, and returns the next.
  RibbonWalk Next(RibbonWalk walk) {
    if (rows_[walk.slot] == 0 && (walk.row & kCoefficientMask) != 0) {
      rows_[walk.slot] = walk.row;
      filled_[num_filled_++] = static_cast<uint32_t>(walk.slot);
    } else if (walk.row != 0) {
      return FailClass();
    }
    if (next_walk_ != num_walks_) return walks_[next_walk_++];
    return FinishClass();
  }

  bool done() const noexcept { return done_; }
  uint64_t* rows() noexcept { return rows_.get(); }

 private:
  RibbonWalk FailClass();
  RibbonWalk FinishClass();
  RibbonWalk BeginClasses();
  void PlaceClass();
  void EndBucket();
  void LoadBin();

  const LayerBuild* layer_ = nullptr;
  uint32_t first_start_ = 0;   // of the sub-shard
  uint32_t first_bucket_ = 0;  // of the sub-shard
  uint32_t bucket_ = 0;
  unsigned class_ = 0;
  bool done_ = false;
  bool bin_is_bumped_ = false;
  HashBin* bins_ = nullptr;
  // The bin of bucket_, sorted by bucket and class; ends of the groups.
  uint32_t group_ends_[kBinSlots / simd::kRibbonBucketSlots * 3 + 1];
  uint32_t begin_ = 0;  // the first hash of the class
  uint32_t num_walks_ = 0;
  uint32_t next_walk_ = 0;
  uint32_t num_filled_ = 0;
  std::unique_ptr<uint64_t[]> rows_;
  std::unique_ptr<uint64_t[]> sorted_;
  std::unique_ptr<RibbonWalk[]> walks_;
  std::unique_ptr<uint32_t[]> filled_;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RIBBON_LANE_H_
