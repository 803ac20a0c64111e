// Asking the memory for what a lookup will need.

#ifndef WINNOW_SRC_SIMD_PREFETCH_H_
#define WINNOW_SRC_SIMD_PREFETCH_H_

#include "src/simd/inline.h"

namespace winnow::simd {
namespace {

// Into the second-level cache: there is room for twice as many misses on the way there than on the
// way to the first one.
WINNOW_INLINE void PrefetchLine(const unsigned char* bytes) {
  constexpr int kForReading = 0;
  constexpr int kSecondLevel = 2;
  __builtin_prefetch(bytes, kForReading, kSecondLevel);
}

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_PREFETCH_H_
