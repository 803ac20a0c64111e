// Elimination of the sub-shards of a bumped Ribbon layer, slot by slot. The kernels of
// simd/ribbon_elimination.h do it, and that header has the idea. Here the hashes are sorted for
// them by the slots at which rows begin, and what they leave is done: buckets whose rows do not
// fit into a kernel's pool are eliminated row by row.

#ifndef WINNOW_SRC_CORE_RIBBON_BY_SLOTS_H_
#define WINNOW_SRC_CORE_RIBBON_BY_SLOTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/core/hash_chunks.h"
#include "src/core/ribbon_by_rows.h"
#include "src/simd/kernels.h"

namespace winnow::core {

// A sub-shard that is eliminated slot by slot. Its tables are kept from one to the next.
class ShardBySlots {
 public:
  ShardBySlots();

  // Begins a sub-shard, whose bins it takes the hashes of. False if no bin has a bucket to
  // eliminate.
  bool Begin(const LayerBuild& layer, uint32_t shard, HashBin* bins, simd::RibbonShardState* state);

  // Does what the kernels stopped for. False when the sub-shard is done.
  bool Continue(simd::RibbonShardState* state);

  const uint64_t* rows() const noexcept { return rows_.get(); }

 private:
  static constexpr uint32_t kBinBuckets = kBinSlots / simd::kRibbonBucketSlots;
  static constexpr uint32_t kBinSteps = kBinSlots / simd::kRibbonStepSlots;
  static constexpr size_t kKeyRoom = kMaxBinKeys + 64;

  bool LoadNextBin(simd::RibbonShardState* state);
  void SortBin(HashBin* bin);
  void PlaceBucket(simd::RibbonShardState* state);
  void EndBin();

  const LayerBuild* layer_ = nullptr;
  uint32_t first_start_ = 0;   // of the sub-shard
  uint32_t first_bucket_ = 0;  // of the sub-shard
  uint32_t bucket_ = 0;        // the current bin's first
  uint32_t bin_buckets_ = 0;
  HashBin* next_bin_ = nullptr;
  uint32_t step_ends_[kBinSteps + 1];
  unsigned char thresholds_[kBinBuckets];
  std::unique_ptr<uint64_t[]> rows_;
  std::unique_ptr<uint64_t[]> sorted_;
  std::unique_ptr<uint16_t[]> steps_;  // of the hashes of a bin that is being sorted
  std::unique_ptr<unsigned char[]> keys_;

 public:
  static constexpr size_t kTableBytes = kMaxRows * sizeof(uint64_t) +
                                        kMaxBinKeys * (sizeof(uint64_t) + sizeof(uint16_t)) +
                                        simd::kRibbonPlanes * kKeyRoom;
};

// The sub-shards that are eliminated side by side.
class ShardsBySlots {
 public:
  // Eliminates `count` sub-shards, at most kShardsAtOnce, from `shard` on; bins: those of the
  // first.
  void Eliminate(const LayerBuild& layer, uint32_t shard, unsigned count, HashBin* bins);

  const uint64_t* rows(unsigned i) const noexcept { return shards_[i].rows(); }

 private:
  std::array<simd::RibbonShardState, kShardsAtOnce> states_;
  std::array<ShardBySlots, kShardsAtOnce> shards_;
};
static_assert(kShardsAtOnce == simd::kRibbonMostShards);
inline constexpr size_t kShardsBySlotsBytes =
    sizeof(ShardsBySlots) + kShardsAtOnce * ShardBySlots::kTableBytes;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RIBBON_BY_SLOTS_H_
