// Where the bits of a pattern are, for kernels that handle all words of a block at once.

#ifndef WINNOW_STREAMS_AMQ_BLOCK_LANES_H_
#define WINNOW_STREAMS_AMQ_BLOCK_LANES_H_

#include <cstdint>

#include "streams/amq/block_pattern.h"

namespace winnow::amq {
namespace {

// By the first word of a pattern: for each word the place of its bit in the pattern, and by the
// number of bits in a block whether it has one.
struct alignas(64) LaneTables {
  uint64_t shifts[kBlockWords][kBlockWords];
  uint64_t ones[kBlockWords + 1][kBlockWords][kBlockWords];
};

constexpr LaneTables MakeLaneTables() noexcept {
  LaneTables made{};
  for (unsigned first = 0; first < kBlockWords; ++first) {
    for (unsigned word = 0; word < kBlockWords; ++word) {
      const unsigned i = (word + kBlockWords - first) % kBlockWords;
      made.shifts[first][word] = 6 * i;
      for (unsigned bits = 0; bits <= kBlockWords; ++bits) made.ones[bits][first][word] = i < bits;
    }
  }
  return made;
}

constexpr LaneTables kLaneTables = MakeLaneTables();

}  // namespace
}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_BLOCK_LANES_H_
