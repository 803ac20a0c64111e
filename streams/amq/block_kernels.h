// Block kernels: batch operations on the 512-bit blocks of a BlockedBloom, for several instruction
// sets. The cache misses of many keys overlap, and the words of a block are processed together.

#ifndef WINNOW_STREAMS_AMQ_BLOCK_KERNELS_H_
#define WINNOW_STREAMS_AMQ_BLOCK_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "streams/amq/block_pattern.h"
#include "streams/amq/mix.h"
#include "winnow/hash.h"

namespace winnow::amq {

inline constexpr unsigned kMaxBlocksPerKey = 5;

// The blocks of a BlockedBloom.
struct BlockArray {
  uint64_t* words = nullptr;  // kBlockWords words per block, aligned to 64 bytes
  uint64_t num_blocks = 1;
  unsigned blocks_per_key = 1;
  unsigned bits_per_block = 8;
};

// A block of a key, and the key's bits in it. Block and bits come from different hash bits: they
// would otherwise be correlated in a filter with many blocks.
struct BlockPlace {
  uint64_t first_word;
  uint64_t pattern;
};
[[gnu::always_inline]] inline BlockPlace PlaceOfKey(uint64_t hash, unsigned i,
                                                    uint64_t num_blocks) noexcept {
  return {Reduce(HashBits(hash, 2 * i), num_blocks) * kBlockWords, HashBits(hash, 2 * i + 1)};
}

// Computes the places of n keys, blocks_per_key of each key, and prefetches their blocks, for
// callers that have other work until the blocks are in the cache.
void BringBlocks(const BlockArray& blocks, const KeyHash* hashes, size_t n,
                 BlockPlace* places) noexcept;

// Number of bits that a batch set, and of keys that set at least one bit.
struct BatchAdded {
  uint64_t bits = 0;
  uint64_t keys = 0;
};

struct BlockKernels {
  const char* name;
  BatchAdded (*add)(const BlockArray& blocks, const KeyHash* hashes, size_t n,
                    bool* is_new) noexcept;
  // Adds n keys whose places BringBlocks() computed.
  BatchAdded (*add_placed)(const BlockArray& blocks, const BlockPlace* places, size_t n,
                           bool* is_new) noexcept;
  void (*ask)(const BlockArray& blocks, const KeyHash* hashes, size_t n, bool* results) noexcept;
  // Sum over all blocks of the probability that a random pattern has all its bits set in the block.
  double (*sum_chances)(const BlockArray& blocks) noexcept;
};

extern const BlockKernels kAvx2BlockKernels;
extern const BlockKernels kAvx512BlockKernels;

// Stores the kernels that this processor can run, fastest first, and returns their number. All have
// equal results.
inline constexpr size_t kMaxBlockKernels = 3;
size_t UsableBlockKernels(const BlockKernels* (&usable)[kMaxBlockKernels]) noexcept;

// Returns the fastest kernel that this processor can run.
const BlockKernels& ChosenBlockKernels() noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_BLOCK_KERNELS_H_
