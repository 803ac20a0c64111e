// Tables of the cache-blocked Bloom filter. Its loops are kernels in src/simd/.

#ifndef WINNOW_SRC_CORE_BLOOM_H_
#define WINNOW_SRC_CORE_BLOOM_H_

#include <cstdint>

#include "src/simd/kernels.h"

namespace winnow::core {

// Returns kBloomPatterns patterns of 16 bits, each with `probes` bits set. `probes` is 1 to
// kBloomMaxProbes.
const uint16_t* BloomPatterns(unsigned probes) noexcept;

// Returns kBloomWordSets sets of words for kernels: the pattern selected by bits 4 to 7 of a hash,
// rotated left by bits 0 to 3.
const uint16_t* BloomWordSets(unsigned probes) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_BLOOM_H_
