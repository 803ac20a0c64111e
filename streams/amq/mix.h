// More hash bits from the 64 of a key.

#ifndef WINNOW_STREAMS_AMQ_MIX_H_
#define WINNOW_STREAMS_AMQ_MIX_H_

#include <cstdint>

#include "winnow/amq/internal/hash_mix.h"

namespace winnow::amq {

using internal::kGolden;
using internal::Mix;
using internal::Reduce;

// The i-th 64 bits of a hash, as good as independent of the others and of the hash itself: whoever
// divides keys by bits of their hash does not weaken the filters of the parts.
[[gnu::always_inline]] inline uint64_t HashBits(uint64_t hash, uint64_t i) noexcept {
  return Mix(hash + (i + 1) * kGolden);
}

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_MIX_H_
