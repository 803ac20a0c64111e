// The bits that a key sets in a block of 512: one in each of some successive words.

#ifndef WINNOW_STREAMS_AMQ_BLOCK_PATTERN_H_
#define WINNOW_STREAMS_AMQ_BLOCK_PATTERN_H_

#include <cstdint>

namespace winnow::amq {

inline constexpr unsigned kBlockWords = 8;
inline constexpr unsigned kBlockBits = 512;

// By random hash bits, of which it takes 51.
class BlockPattern {
 public:
  explicit BlockPattern(uint64_t bits) noexcept : bits_(bits) {}

  // The i-th word, and the bit in it.
  unsigned Word(unsigned i) const noexcept {
    return (static_cast<unsigned>(bits_ >> 48) + i) & (kBlockWords - 1);
  }
  uint64_t Bit(unsigned i) const noexcept { return uint64_t{1} << (bits_ >> 6 * i & 63); }

 private:
  uint64_t bits_;
};

// The chance that a random pattern with one bit in each of `bits` words has all of them set in a
// block whose words have `ones` set bits each. Always inlined: kernels are compiled for processors
// of their own.
[[gnu::always_inline]] inline double ChanceOfPattern(const unsigned (&ones)[kBlockWords],
                                                     unsigned bits) noexcept {
  // In whole numbers, of 2^51 at most: the same on every machine.
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
