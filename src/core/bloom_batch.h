// Batched lookups in one Bloom filter, for callers that hash the keys themselves: a lookup's block
// is prefetched as soon as its hash is known, while the other keys are hashed.

#ifndef WINNOW_SRC_CORE_BLOOM_BATCH_H_
#define WINNOW_SRC_CORE_BLOOM_BATCH_H_

#include <cstddef>
#include <cstdint>

#include "src/simd/kernels.h"
#include "winnow/filter.h"

namespace winnow::core {

// Approximate size of a core's private cache.
inline constexpr size_t kOwnCacheBytes = simd::kOwnCacheBytes;

class BloomBatch {
 public:
  // Empty for filters of other kinds and for unusable ones; only operator bool may then be called.
  explicit BloomBatch(const FilterView& view) noexcept
      : layer_(view.kind_ == FilterKind::kBloom
                   ? static_cast<const simd::BloomLayer*>(&view.FirstLayer())
                   : nullptr) {}

  explicit operator bool() const noexcept { return layer_ != nullptr; }

  // Bytes that lookups read.
  const unsigned char* bytes() const noexcept { return layer_->blocks; }
  size_t size() const noexcept { return layer_->num_blocks * simd::kBloomBlockBytes; }

  // Prefetches a lookup's block, one hash per call.
  class Ahead {
   public:
    explicit Ahead(const BloomBatch& batch) noexcept
        : blocks_(batch.layer_->blocks), num_blocks_(batch.layer_->num_blocks) {}

    __attribute__((always_inline)) void Ask(uint64_t hash) const noexcept {
      // Prefetches into the second-level cache: the first level has room for only some twenty
      // outstanding requests, and hashing would stall.
      constexpr int kForReading = 0;
      constexpr int kSecondLevel = 2;
      const unsigned char* const block = blocks_ + formulas::BlockOffset(hash, num_blocks_);
      __builtin_prefetch(block, kForReading, kSecondLevel);
      __builtin_prefetch(block + simd::kBloomBlockBytes - 1, kForReading, kSecondLevel);
    }

   private:
    const unsigned char* blocks_;
    uint64_t num_blocks_;
  };

  // Looks up n hashes, as FilterView::MayContain does. Does not prefetch.
  void MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept {
    static_assert(sizeof(KeyHash) == sizeof(uint64_t));
    simd::ActiveKernels().bloom_probe_many(*layer_, reinterpret_cast<const uint64_t*>(hashes), n,
                                           false, results);
  }

 private:
  const simd::BloomLayer* layer_;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_BLOOM_BATCH_H_
