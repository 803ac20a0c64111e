// Gaussian elimination in sub-shards of a bumped Ribbon layer, slot by slot, by the kernels of
// simd/ribbon_elimination.h, which describes the idea. This code sorts the hashes by the slots at
// which rows begin, and handles what the kernels stop for: buckets whose rows do not fit into a
// kernel's pool are eliminated row by row.

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

// A sub-shard that is eliminated slot by slot. Its tables are reused for the next one.
class ShardBySlots {
 public:
  ShardBySlots();

  // Begins a sub-shard and takes the hashes of its bins. Returns false if no bin has a bucket to
  // eliminate.
  bool Begin(const LayerBuild& layer, uint32_t shard, HashBin* bins, simd::RibbonShardState* state);

  // Handles what the kernels stopped for. Returns false when the sub-shard is done.
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
  uint32_t first_start_ = 0;   // first start position of the sub-shard
  uint32_t first_bucket_ = 0;  // first bucket of the sub-shard
  uint32_t bucket_ = 0;        // first bucket of the current bin
  uint32_t bin_buckets_ = 0;
  HashBin* next_bin_ = nullptr;
  uint32_t step_ends_[kBinSteps + 1];
  unsigned char thresholds_[kBinBuckets];
  std::unique_ptr<uint64_t[]> rows_;
  std::unique_ptr<uint64_t[]> sorted_;
  std::unique_ptr<uint16_t[]> steps_;  // steps of the hashes of the bin being sorted
  std::unique_ptr<unsigned char[]> keys_;

 public:
  static constexpr size_t kTableBytes = kMaxRows * sizeof(uint64_t) +
                                        kMaxBinKeys * (sizeof(uint64_t) + sizeof(uint16_t)) +
                                        simd::kRibbonPlanes * kKeyRoom;
};

// Sub-shards that are eliminated in parallel (interleaved).
class ShardsBySlots {
 public:
  // Eliminates `count` sub-shards, at most kShardsAtOnce, from `shard` on. `bins` are those of the
  // first one.
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
