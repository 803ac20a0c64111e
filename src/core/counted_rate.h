// The rate of one cache-blocked Bloom filter, from its bits.

#ifndef WINNOW_SRC_CORE_COUNTED_RATE_H_
#define WINNOW_SRC_CORE_COUNTED_RATE_H_

#include <cstdint>

namespace winnow::core {

// The probability that a random absent key passes these blocks: the mean over blocks and sets of
// words of the product of the words' shares of set bits. BloomRate is the mean of this over filters
// of random keys. Takes some microseconds a block. At least one block; probes from 1 to
// kBloomMaxProbes.
double CountBloomRate(const unsigned char* blocks, uint32_t num_blocks, unsigned probes) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_COUNTED_RATE_H_
