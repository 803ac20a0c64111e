// Prefetching for lookups.

#ifndef WINNOW_SRC_SIMD_PREFETCH_H_
#define WINNOW_SRC_SIMD_PREFETCH_H_

#include "src/simd/inline.h"

namespace winnow::simd {
namespace {

// Prefetches into the first-level cache. The second level allows twice as many outstanding misses,
// but batches took up to 1.2 times as long with it.
WINNOW_INLINE void PrefetchLine(const unsigned char* bytes) {
  constexpr int kForReading = 0;
  constexpr int kFirstLevel = 3;
  __builtin_prefetch(bytes, kForReading, kFirstLevel);
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_PREFETCH_H_
