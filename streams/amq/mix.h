// Additional hash bits from the 64 bits of a key's hash.

#ifndef WINNOW_STREAMS_AMQ_MIX_H_
#define WINNOW_STREAMS_AMQ_MIX_H_

#include <cstdint>

#include "winnow/amq/internal/hash_mix.h"

namespace winnow::amq {

using internal::kGolden;
using internal::Mix;
using internal::Reduce;

// Returns the i-th 64 bits derived from a hash, practically independent of the other ones and of
// the hash itself: keys may be partitioned by bits of their hash without weakening the filters of
// the partitions.
[[gnu::always_inline]] inline uint64_t HashBits(uint64_t hash, uint64_t i) noexcept {
  return Mix(hash + (i + 1) * kGolden);
}

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_MIX_H_
