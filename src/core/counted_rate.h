// False-positive rate of one cache-blocked Bloom filter, computed from its bits.

#ifndef WINNOW_SRC_CORE_COUNTED_RATE_H_
#define WINNOW_SRC_CORE_COUNTED_RATE_H_

#include <cstdint>

namespace winnow::core {

// Returns the probability that a random absent key passes these blocks: the mean, over all blocks
// and sets of words, of the product of the words' shares of set bits. BloomRate is its expected
// value for random keys. Takes some microseconds per block. `num_blocks` is at least 1; `probes` is
// 1 to kBloomMaxProbes.
double CountBloomRate(const unsigned char* blocks, uint32_t num_blocks, unsigned probes) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_COUNTED_RATE_H_
