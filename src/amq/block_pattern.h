// The bits that a key sets in a block of 512: one in each of some successive words.

#ifndef WINNOW_SRC_AMQ_BLOCK_PATTERN_H_
#define WINNOW_SRC_AMQ_BLOCK_PATTERN_H_

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
// block whose words have `ones` set bits each.
inline double ChanceOfPattern(const unsigned (&ones)[kBlockWords], unsigned bits) noexcept {
  double sum = 0;
  for (unsigned first = 0; first < kBlockWords; ++first) {
    double chance = 1;
    for (unsigned i = 0; i < bits; ++i) chance *= ones[(first + i) % kBlockWords] / 64.0;
    sum += chance;
  }
  return sum / kBlockWords;
}

}  // namespace winnow::amq

#endif  // WINNOW_SRC_AMQ_BLOCK_PATTERN_H_
