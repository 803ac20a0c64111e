// Bits that a key sets in a 512-bit block: one in each of several consecutive words.

#ifndef WINNOW_STREAMS_AMQ_BLOCK_PATTERN_H_
#define WINNOW_STREAMS_AMQ_BLOCK_PATTERN_H_

#include <cstdint>

namespace winnow::amq {

inline constexpr unsigned kBlockWords = 8;
inline constexpr unsigned kBlockBits = 512;

// A pattern from random hash bits; uses 51 of them.
class BlockPattern {
 public:
  explicit BlockPattern(uint64_t bits) noexcept : bits_(bits) {}

  // Returns the index of the i-th word.
  unsigned Word(unsigned i) const noexcept {
    return (static_cast<unsigned>(bits_ >> 48) + i) & (kBlockWords - 1);
  }
  uint64_t Bit(unsigned i) const noexcept { return uint64_t{1} << (bits_ >> 6 * i & 63); }

 private:
  uint64_t bits_;
};

// Returns the probability that a random pattern with one bit in each of `bits` words has all of
// them set in a block whose words have `ones` set bits each. Always inlined, because each kernel is
// compiled for its own instruction set.
[[gnu::always_inline]] inline double ChanceOfPattern(const unsigned (&ones)[kBlockWords],
                                                     unsigned bits) noexcept {
  // Integer arithmetic, up to 2^51, gives equal results on all machines.
  uint64_t sum = 0;
  if (bits == kBlockWords) {
    sum = kBlockWords;
    for (const unsigned in_word : ones) sum *= in_word;
  } else {
    for (unsigned first = 0; first < kBlockWords; ++first) {
      uint64_t product = 1;
      for (unsigned i = 0; i < bits; ++i) product *= ones[(first + i) % kBlockWords];
      sum += product;
    }
  }
  return static_cast<double>(sum) / static_cast<double>(uint64_t{kBlockWords} << 6 * bits);
}

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_BLOCK_PATTERN_H_
