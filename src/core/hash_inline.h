// HashKey for callers that inline it.

#ifndef WINNOW_SRC_CORE_HASH_INLINE_H_
#define WINNOW_SRC_CORE_HASH_INLINE_H_

#include <cstddef>
#include <cstdint>

#include "src/formulas/xxh3.h"
#include "src/simd/kernels.h"

namespace winnow::core {

inline constexpr size_t kMaxShortKeyBytes = 32;

// Maximum key size at which XXH3 gains nothing from vector instructions.
inline constexpr size_t kMaxScalarKeyBytes = 240;

// Returns the hash of winnow::HashKey.
inline uint64_t HashKeyInline(const char* key, size_t size) noexcept {
  if (size > kMaxScalarKeyBytes) return simd::ActiveKernels().hash_bytes(key, size);
  return XXH3_64bits(key, size);
}

// HashKey for 1 to 32 bytes, the sizes of most keys. Makes no call, so that a function that ends
// with a tail call needs no frame. XXH3's entry point is inlined only into functions with the
// attribute flatten.
inline uint64_t HashShortKeyInline(const char* key, size_t size) noexcept {
  if (size < 1 || size > kMaxShortKeyBytes) __builtin_unreachable();
  return XXH3_64bits(key, size);
}

// HashKey for keys of up to kMaxMiddlingKeyBytes, which XXH3 hashes fully inline, without a call.
inline constexpr size_t kMaxMiddlingKeyBytes = 128;
inline uint64_t HashMiddlingKeyInline(const char* key, size_t size) noexcept {
  if (size > kMaxMiddlingKeyBytes) __builtin_unreachable();
  return XXH3_64bits(key, size);
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_HASH_INLINE_H_
