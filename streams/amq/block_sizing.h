// Rates and shapes of filters in blocks of 512 bits, as pure functions. The formula is in
// winnow/amq/blocked_bloom.h.

#ifndef WINNOW_STREAMS_AMQ_BLOCK_SIZING_H_
#define WINNOW_STREAMS_AMQ_BLOCK_SIZING_H_

#include <cstdint>

#include "streams/amq/block_kernels.h"
#include "winnow/amq/blocked_bloom.h"

namespace winnow::amq {

// Bits in successive words of a block, of which the first is a random one: 1 to 8 words with 1 bit,
// or 1 to 5 words with 2 bits, which may be the same. One bit of a block may count as set from the
// beginning, as the lock of a line of a ConcurrentBloom does: with 2 words of 1 bit, or with 2
// bits.
struct PatternShape {
  // NOLINTNEXTLINE(google-explicit-constructor): a number is one of words with a bit each
  PatternShape(unsigned number_of_words, unsigned number_of_bits_a_word = 1,
               bool with_a_bit_set = false) noexcept
      : words(number_of_words), bits_a_word(number_of_bits_a_word), has_bit_set(with_a_bit_set) {}
  unsigned words;
  unsigned bits_a_word;
  bool has_bit_set;
};

// The chance that a random block has all bits of a random pattern after `patterns` were thrown into
// `blocks` blocks.
double PatternRate(double patterns, double blocks, PatternShape shape) noexcept;

// The same for very many blocks with this many patterns each, on average.
double PatternRateAtLoad(double patterns_per_block, PatternShape shape) noexcept;

// The most patterns a block, on average, at which the rate above is at most this one.
double LoadForPatternRate(double rate, PatternShape shape) noexcept;

// The fewest blocks for n patterns at this rate.
uint64_t BlocksForPatterns(uint64_t n, double rate, PatternShape shape) noexcept;

// The rate of a filter that holds n keys.
double BlockedRate(uint64_t n, const BlockedShape& shape) noexcept;

// The fewest blocks for n keys at this rate, the rest of the shape given.
uint64_t BlocksForRate(uint64_t n, double rate, unsigned blocks_per_key,
                       unsigned bits_per_block) noexcept;

// A filter for n keys that has at most this rate, and at most half of its bits set, when they are
// in: with as few bits a key as reach the rate at 1/2 in many blocks, or the most where none do.
BlockedShape ShapeByFill(uint64_t n, double rate) noexcept;

// A fill ratio at which a filter of this shape that takes keys up to the rate, or 1/2, is likely to
// have room for some more, but not for many.
double FirstLookFill(const BlockedShape& shape, double rate) noexcept;

// Rounded down so far that all machines agree: what becomes part of bytes that are the same
// wherever they are written.
double RoundedFill(double fill) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_BLOCK_SIZING_H_
