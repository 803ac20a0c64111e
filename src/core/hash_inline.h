// HashKey, for callers that inline it.

#ifndef WINNOW_SRC_CORE_HASH_INLINE_H_
#define WINNOW_SRC_CORE_HASH_INLINE_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/xxh3.h"
#include "src/simd/kernels.h"

namespace winnow::core {

inline constexpr size_t kMaxShortKeyBytes = 32;

// Up to here XXH3 gains nothing from vectors.
inline constexpr size_t kMaxScalarKeyBytes = 240;

// The hash of winnow::HashKey.
inline uint64_t HashKeyInline(const char* key, size_t size) noexcept {
  if (size > kMaxScalarKeyBytes) return simd::ActiveKernels().hash_bytes(key, size);
  return XXH3_64bits(key, size);
}

// The same for 1 to 32 bytes, the lengths of most keys: without a call, so that a function which
// ends with a tail call needs no frame. XXH3's entry is inlined only into functions with the
// attribute flatten.
inline uint64_t HashShortKeyInline(const char* key, size_t size) noexcept {
  if (size < 1 || size > kMaxShortKeyBytes) __builtin_unreachable();
  return XXH3_64bits(key, size);
}

// The same for keys of up to so many bytes: XXH3 is all in line there, as above.
inline constexpr size_t kMaxMiddlingKeyBytes = 128;
inline uint64_t HashMiddlingKeyInline(const char* key, size_t size) noexcept {
  if (size > kMaxMiddlingKeyBytes) __builtin_unreachable();
  return XXH3_64bits(key, size);
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_HASH_INLINE_H_
