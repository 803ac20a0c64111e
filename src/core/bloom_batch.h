// A Bloom filter that a batch of keys is asked of, for callers that have the keys and hash them
// themselves: what a lookup reads is asked for as soon as its hash is known, and is on its way
// while the other keys are hashed.

#ifndef WINNOW_SRC_CORE_BLOOM_BATCH_H_
#define WINNOW_SRC_CORE_BLOOM_BATCH_H_

#include <cstddef>
#include <cstdint>

#include "src/simd/kernels.h"
#include "winnow/filter.h"

namespace winnow::core {

// Approximate size of a processor's own cache.
inline constexpr size_t kOwnCacheBytes = simd::kOwnCacheBytes;

class BloomBatch {
 public:
  // For a filter of another kind, or one that can't be used, it must not be asked anything.
  explicit BloomBatch(const FilterView& view) noexcept
      : layer_(view.kind_ == FilterKind::kBloom
                   ? static_cast<const simd::BloomLayer*>(&view.FirstLayer())
                   : nullptr) {}

  explicit operator bool() const noexcept { return layer_ != nullptr; }

  // The bytes that lookups read.
  const unsigned char* bytes() const noexcept { return layer_->blocks; }
  size_t size() const noexcept { return layer_->num_blocks * simd::kBloomBlockBytes; }

  // Asks the memory for what a lookup reads, hash by hash.
  class Ahead {
   public:
    explicit Ahead(const BloomBatch& batch) noexcept
        : blocks_(batch.layer_->blocks), num_blocks_(batch.layer_->num_blocks) {}

    __attribute__((always_inline)) void Ask(uint64_t hash) const noexcept {
      // Into the second-level cache: on its way to the first one there is room for some twenty
      // requests only, and hashing would wait for it.
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

  // The answers, as FilterView::MayContain gives them; asks for nothing ahead.
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
