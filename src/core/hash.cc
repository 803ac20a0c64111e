#include "winnow/hash.h"

#include "src/core/hash_inline.h"

namespace winnow {

KeyHash HashKey(std::string_view key) noexcept {
  return {core::HashKeyInline(key.data(), key.size())};
}

}  // namespace winnow
