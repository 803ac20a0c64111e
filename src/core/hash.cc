#include "winnow/hash.h"

#include "src/core/hash_inline.h"

namespace winnow {
namespace {

__attribute__((noinline)) KeyHash HashOtherKey(const char* key, size_t size) noexcept {
  return {core::HashKeyInline(key, size)};
}

}  // namespace

// Hashes short keys without a stack frame, which the loops for long keys need.
__attribute__((flatten)) KeyHash HashKey(std::string_view key) noexcept {
  if (__builtin_expect(key.size() - 1 >= core::kMaxShortKeyBytes, 0)) {
    return HashOtherKey(key.data(), key.size());
  }
  return {core::HashShortKeyInline(key.data(), key.size())};
}

}  // namespace winnow
