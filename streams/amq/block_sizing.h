// Rates and shapes of filters in 512-bit blocks, as pure functions. winnow/amq/blocked_bloom.h has
// the formula.

#ifndef WINNOW_STREAMS_AMQ_BLOCK_SIZING_H_
#define WINNOW_STREAMS_AMQ_BLOCK_SIZING_H_

#include <cstdint>

#include "streams/amq/block_kernels.h"
#include "winnow/amq/blocked_bloom.h"

namespace winnow::amq {

// Bits in consecutive words of a block, from a random word on: 1 to 8 words with 1 bit, or 1 to 5
// words with 2 bits, which may be equal. One bit of a block may count as preset, for the lock in a
// line of a ConcurrentBloom; this is supported for 2 words of 1 bit and for 2 bits per word.
struct PatternShape {
  // NOLINTNEXTLINE(google-explicit-constructor): a number is one of words with a bit each
  PatternShape(unsigned number_of_words, unsigned number_of_bits_a_word = 1,
               bool with_a_bit_set = false) noexcept
      : words(number_of_words), bits_a_word(number_of_bits_a_word), has_bit_set(with_a_bit_set) {}
  unsigned words;
  unsigned bits_a_word;
  bool has_bit_set;
};

// Returns the probability that a random block has all bits of a random pattern after `patterns`
// patterns were added to random ones of `blocks` blocks.
double PatternRate(double patterns, double blocks, PatternShape shape) noexcept;

// Returns the limit of PatternRate for very many blocks with `patterns_per_block` patterns each on
// average.
double PatternRateAtLoad(double patterns_per_block, PatternShape shape) noexcept;

// Returns the highest mean number of patterns per block for which PatternRateAtLoad is at most
// `rate`.
double LoadForPatternRate(double rate, PatternShape shape) noexcept;

// Returns the fewest blocks in which n patterns have at most this rate.
uint64_t BlocksForPatterns(uint64_t n, double rate, PatternShape shape) noexcept;

// Returns the false-positive rate of a filter with n keys.
double BlockedRate(uint64_t n, const BlockedShape& shape) noexcept;

// Returns the fewest blocks for n keys at this rate, for the given rest of the shape.
uint64_t BlocksForRate(uint64_t n, double rate, unsigned blocks_per_key,
                       unsigned bits_per_block) noexcept;

// Returns the shape of a filter that, with n keys, has at most this rate and at most half of its
// bits set. Bits per key are the fewest that reach the rate at a fill of 1/2 in many blocks, or the
// maximum if none reach it.
BlockedShape ShapeByFill(uint64_t n, double rate) noexcept;

// Returns the fill ratio at which to check first whether the filter is full: a filter that takes
// keys up to `rate`, or up to a fill of 1/2, then probably has room for a few more keys, but not
// for many.
double FirstLookFill(const BlockedShape& shape, double rate) noexcept;

// Rounds `fill` down so coarsely that all machines agree. The result becomes a part of serialized
// bytes, which must not depend on the machine.
double RoundedFill(double fill) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_BLOCK_SIZING_H_
