// The cache-blocked Bloom filter's tables. Its loops are kernels, in src/simd/.

#ifndef WINNOW_SRC_CORE_BLOOM_H_
#define WINNOW_SRC_CORE_BLOOM_H_

#include <cstdint>
#include <string_view>

#include "src/simd/kernels.h"

namespace winnow::core {

// kBloomPatterns patterns of 16 bits, each with `probes` bits set: the words of a block that a key
// uses. probes from 1 to kBloomMaxProbes.
const uint16_t* BloomPatterns(unsigned probes) noexcept;

// What a probe of a Bloom filter needs, for readers that call the kernel themselves.
struct BloomLayer {
  const unsigned char* blocks = nullptr;
  uint32_t num_blocks = 0;
  const uint16_t* patterns = nullptr;
};

// True, and sets *bloom, if the block is a valid filter of kind Bloom.
bool FindBloomLayer(std::string_view block, BloomLayer* bloom) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_BLOOM_H_
