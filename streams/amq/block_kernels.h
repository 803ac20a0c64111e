// Batches of keys in blocks of 512 bits, by what the processor offers: the misses of many keys
// overlap, and the words of a block are handled together.

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
  uint64_t* words = nullptr;  // kBlockWords a block, at a multiple of 64
  uint64_t num_blocks = 1;
  unsigned blocks_per_key = 1;
  unsigned bits_per_block = 8;
};

// A block of a key, and its bits there. They take bits of their own: in a filter of many blocks
// they would else be correlated.
struct BlockPlace {
  uint64_t first_word;
  uint64_t pattern;
};
[[gnu::always_inline]] inline BlockPlace PlaceOfKey(uint64_t hash, unsigned i,
                                                    uint64_t num_blocks) noexcept {
  return {Reduce(HashBits(hash, 2 * i), num_blocks) * kBlockWords, HashBits(hash, 2 * i + 1)};
}

// Finds the places of n keys, blocks_per_key of each, and has their blocks brought to the
// processor: for callers who have something else to do meanwhile.
void BringBlocks(const BlockArray& blocks, const KeyHash* hashes, size_t n,
                 BlockPlace* places) noexcept;

// How many bits were set, and keys that set any.
struct BatchAdded {
  uint64_t bits = 0;
  uint64_t keys = 0;
};

struct BlockKernels {
  const char* name;
  BatchAdded (*add)(const BlockArray& blocks, const KeyHash* hashes, size_t n,
                    bool* is_new) noexcept;
  // The same for places that BringBlocks has found.
  BatchAdded (*add_placed)(const BlockArray& blocks, const BlockPlace* places, size_t n,
                           bool* is_new) noexcept;
  void (*ask)(const BlockArray& blocks, const KeyHash* hashes, size_t n, bool* results) noexcept;
  // The sum over all blocks of the chance that one has all bits of a random pattern.
  double (*sum_chances)(const BlockArray& blocks) noexcept;
};

extern const BlockKernels kAvx2BlockKernels;
extern const BlockKernels kAvx512BlockKernels;

// Those that this processor can run, the fastest first. They all do the same.
inline constexpr size_t kMaxBlockKernels = 3;
size_t UsableBlockKernels(const BlockKernels* (&usable)[kMaxBlockKernels]) noexcept;

// The fastest.
const BlockKernels& ChosenBlockKernels() noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_BLOCK_KERNELS_H_
