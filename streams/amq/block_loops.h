// Loops of the block kernels, templates over the way of processing a block. The source of each
// kernel includes this header once and is compiled for its instruction set. Everything here is
// inlined or local to that source, so that no other source can call code with instructions that its
// processor lacks.

#ifndef WINNOW_STREAMS_AMQ_BLOCK_LOOPS_H_
#define WINNOW_STREAMS_AMQ_BLOCK_LOOPS_H_

#include <cstddef>
#include <cstdint>

#include "streams/amq/block_kernels.h"

// Inlining extends to all functions between a kernel and its prefetch: g++ 12 drops a prefetch from
// a called function without other side effects.
#define WINNOW_INLINE [[gnu::always_inline]] inline

namespace winnow::amq {
namespace {

// Prefetch distance, in keys. Processors sustain one or two dozen outstanding misses, and a key has
// one to five blocks.
constexpr size_t kKeysAhead = 16;

template <unsigned kBlocks>
struct Places {
  BlockPlace of[kKeysAhead][kBlocks];

  WINNOW_INLINE void Bring(const BlockArray& blocks, size_t key, KeyHash hash) noexcept {
    for (unsigned i = 0; i < kBlocks; ++i) {
      BlockPlace& place = of[key % kKeysAhead][i];
      place = PlaceOfKey(hash.value, i, blocks.num_blocks);
      __builtin_prefetch(blocks.words + place.first_word, 1);
    }
  }
};

template <typename Lanes, unsigned kBlocks>
WINNOW_INLINE BatchAdded AddKeys(const BlockArray& blocks, const KeyHash* hashes, size_t n,
                                 bool* is_new) noexcept {
  Lanes lanes(blocks.bits_per_block);
  Places<kBlocks> places;
  BatchAdded added;
  for (size_t k = 0; k < (n < kKeysAhead ? n : kKeysAhead); ++k) places.Bring(blocks, k, hashes[k]);
  for (size_t k = 0; k < n; ++k) {
    bool any = false;
    for (unsigned i = 0; i < kBlocks; ++i) {
      const BlockPlace& place = places.of[k % kKeysAhead][i];
      any |= lanes.Add(blocks.words + place.first_word, place.pattern);
    }
    added.keys += any;
    is_new[k] = any;
    if (k + kKeysAhead < n) places.Bring(blocks, k, hashes[k + kKeysAhead]);
  }
  added.bits = lanes.added();
  return added;
}

// Adds n keys; `places` has kBlocks places per key.
template <typename Lanes, unsigned kBlocks>
WINNOW_INLINE BatchAdded AddPlacedKeys(const BlockArray& blocks, const BlockPlace* places, size_t n,
                                       bool* is_new) noexcept {
  Lanes lanes(blocks.bits_per_block);
  BatchAdded added;
  for (size_t k = 0; k < n; ++k) {
    bool any = false;
    for (unsigned i = 0; i < kBlocks; ++i) {
      const BlockPlace& place = places[k * kBlocks + i];
      any |= lanes.Add(blocks.words + place.first_word, place.pattern);
    }
    added.keys += any;
    is_new[k] = any;
  }
  added.bits = lanes.added();
  return added;
}

template <typename Lanes, unsigned kBlocks>
WINNOW_INLINE void AskKeys(const BlockArray& blocks, const KeyHash* hashes, size_t n,
                           bool* results) noexcept {
  const Lanes lanes(blocks.bits_per_block);
  Places<kBlocks> places;
  for (size_t k = 0; k < (n < kKeysAhead ? n : kKeysAhead); ++k) places.Bring(blocks, k, hashes[k]);
  for (size_t k = 0; k < n; ++k) {
    bool all = true;
    for (unsigned i = 0; all && i < kBlocks; ++i) {
      const BlockPlace& place = places.of[k % kKeysAhead][i];
      all = lanes.HasAll(blocks.words + place.first_word, place.pattern);
    }
    results[k] = all;
    if (k + kKeysAhead < n) places.Bring(blocks, k, hashes[k + kKeysAhead]);
  }
}

// Adds n keys by a loop whose number of blocks per key is a compile-time constant.
template <typename Lanes>
BatchAdded Add(const BlockArray& blocks, const KeyHash* hashes, size_t n, bool* is_new) noexcept {
  switch (blocks.blocks_per_key) {
    case 1:
      return AddKeys<Lanes, 1>(blocks, hashes, n, is_new);
    case 2:
      return AddKeys<Lanes, 2>(blocks, hashes, n, is_new);
    case 3:
      return AddKeys<Lanes, 3>(blocks, hashes, n, is_new);
    case 4:
      return AddKeys<Lanes, 4>(blocks, hashes, n, is_new);
    default:
      return AddKeys<Lanes, kMaxBlocksPerKey>(blocks, hashes, n, is_new);
  }
}

template <typename Lanes>
BatchAdded AddPlaced(const BlockArray& blocks, const BlockPlace* places, size_t n,
                     bool* is_new) noexcept {
  switch (blocks.blocks_per_key) {
    case 1:
      return AddPlacedKeys<Lanes, 1>(blocks, places, n, is_new);
    case 2:
      return AddPlacedKeys<Lanes, 2>(blocks, places, n, is_new);
    case 3:
      return AddPlacedKeys<Lanes, 3>(blocks, places, n, is_new);
    case 4:
      return AddPlacedKeys<Lanes, 4>(blocks, places, n, is_new);
    default:
      return AddPlacedKeys<Lanes, kMaxBlocksPerKey>(blocks, places, n, is_new);
  }
}

template <typename Lanes>
void Ask(const BlockArray& blocks, const KeyHash* hashes, size_t n, bool* results) noexcept {
  switch (blocks.blocks_per_key) {
    case 1:
      return AskKeys<Lanes, 1>(blocks, hashes, n, results);
    case 2:
      return AskKeys<Lanes, 2>(blocks, hashes, n, results);
    case 3:
      return AskKeys<Lanes, 3>(blocks, hashes, n, results);
    case 4:
      return AskKeys<Lanes, 4>(blocks, hashes, n, results);
    default:
      return AskKeys<Lanes, kMaxBlocksPerKey>(blocks, hashes, n, results);
  }
}

// Computes BlockKernels::sum_chances with the popcount instruction of the target, if it has one.
template <typename Lanes>
double SumChances(const BlockArray& blocks) noexcept {
  double sum = 0;
  for (uint64_t block = 0; block < blocks.num_blocks; ++block) {
    const uint64_t* const words = blocks.words + block * kBlockWords;
    unsigned ones[kBlockWords];
    for (unsigned i = 0; i < kBlockWords; ++i) {
      ones[i] = static_cast<unsigned>(__builtin_popcountll(words[i]));
    }
    sum += ChanceOfPattern(ones, blocks.bits_per_block);
  }
  return sum;
}

}  // namespace
}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_BLOCK_LOOPS_H_
