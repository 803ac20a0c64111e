// Asking the memory for what a lookup will need.

#ifndef WINNOW_SRC_SIMD_PREFETCH_H_
#define WINNOW_SRC_SIMD_PREFETCH_H_

#include "src/simd/inline.h"

namespace winnow::simd {
namespace {

// Into the first-level cache. On its way to the second one there is room for twice as many misses,
// but batches took up to 1.2 of the time so.
WINNOW_INLINE void PrefetchLine(const unsigned char* bytes) {
  constexpr int kForReading = 0;
  constexpr int kFirstLevel = 3;
  __builtin_prefetch(bytes, kForReading, kFirstLevel);
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_PREFETCH_H_
