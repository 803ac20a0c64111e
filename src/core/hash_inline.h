// HashKey, for callers that inline it.

#ifndef WINNOW_SRC_CORE_HASH_INLINE_H_
#define WINNOW_SRC_CORE_HASH_INLINE_H_

#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace winnow::core {

// The hash of winnow::HashKey.
inline uint64_t HashKeyInline(const char* key, size_t size) noexcept {
  return XXH3_64bits(key, size);
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_HASH_INLINE_H_
