// Asking the memory for what a lookup will need.

#ifndef WINNOW_SRC_SIMD_PREFETCH_H_
#define WINNOW_SRC_SIMD_PREFETCH_H_

#include <cstddef>

#include "src/formulas/bloom_layer.h"
#include "src/simd/inline.h"

namespace winnow::simd {
namespace {

// Below this a filter is in the cache anyway, and asking for it ahead is a waste.
constexpr size_t kPrefetchFromBytes = size_t{1} << 20;

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
