// Position of a hash's bits in a cache-blocked Bloom filter.

#ifndef WINNOW_SRC_FORMULAS_BLOOM_LAYER_H_
#define WINNOW_SRC_FORMULAS_BLOOM_LAYER_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/hash_parts.h"
#include "src/formulas/inline.h"

namespace winnow::formulas {

// A block is 16 little-endian 32-bit words. In word w, a key may set the bit (x * kBloomSalts[w])
// >> 27, where x is the low half of the key's hash. The salts are odd numbers, from
// tune_bloom of Winnow 1.2 (commit 380b00ab).
inline constexpr uint32_t kBloomBlockBytes = 64;
inline constexpr uint32_t kBloomSalts[16] = {0x910a2dedu, 0xbeeb8da1u, 0xf893a2efu, 0x71c18691u,
                                             0x71bb54d9u, 0xc34d0bffu, 0xe099ec6du, 0x85e7bb0fu,
                                             0x491718dfu, 0xcb435c8fu, 0x9afcd44du, 0x7476cf8bu,
                                             0x87b341d7u, 0x2ac2ce17u, 0xa534a6a7u, 0xd0bad0dbu};
inline constexpr unsigned kBloomMaxProbes = 14;
// Each number of probes has 16 patterns of words, each used in 16 rotations.
inline constexpr unsigned kBloomPatterns = 16;

// Returns the offset in bytes of the hash's block.
WINNOW_FORMULA size_t BlockOffset(uint64_t hash, uint64_t num_blocks) noexcept {
  static_assert(kBloomBlockBytes == 1 << 6);
  return static_cast<size_t>(Position(hash, num_blocks) << 6);
}

}  // namespace winnow::formulas

#endif  // WINNOW_SRC_FORMULAS_BLOOM_LAYER_H_
