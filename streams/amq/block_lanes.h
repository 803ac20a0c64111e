// Lookup tables of a pattern's bits, for kernels that process all words of a block at once.

#ifndef WINNOW_STREAMS_AMQ_BLOCK_LANES_H_
#define WINNOW_STREAMS_AMQ_BLOCK_LANES_H_

#include <cstdint>

#include "streams/amq/block_pattern.h"

namespace winnow::amq {
namespace {

// Tables indexed by the first word of a pattern. `shifts` has the position in the pattern of each
// word's bit; `ones`, indexed by the number of bits per block first, says whether the word has a
// bit.
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
