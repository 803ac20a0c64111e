// The cache-blocked Bloom filter's tables. Its loops are kernels, in src/simd/.

#ifndef WINNOW_SRC_CORE_BLOOM_H_
#define WINNOW_SRC_CORE_BLOOM_H_

#include <cstdint>

#include "src/simd/kernels.h"

namespace winnow::core {

// kBloomPatterns patterns of 16 bits, each with `probes` bits set. probes from 1 to
// kBloomMaxProbes.
const uint16_t* BloomPatterns(unsigned probes) noexcept;

// kBloomWordSets sets, as kernels take them: the pattern of bits 4 to 7 of a hash, rotated left by
// bits 0 to 3.
const uint16_t* BloomWordSets(unsigned probes) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_BLOOM_H_
