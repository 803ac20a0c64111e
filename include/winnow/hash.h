// The one hash of a key: computed once, it serves every filter of every file, whatever the
// filter's kind and size.

#ifndef WINNOW_HASH_H_
#define WINNOW_HASH_H_

#include <cstdint>
#include <string_view>

#include "winnow/version.h"

namespace winnow {

// The 64-bit hash of a key. Filters derive all that they need from these 64 bits, so the bits must
// be as good as HashKey's: an own hash that is weak in any of them makes false positives frequent
// (never false negatives).
struct KeyHash {
  uint64_t value;

  friend bool operator==(KeyHash a, KeyHash b) noexcept { return a.value == b.value; }
  friend bool operator!=(KeyHash a, KeyHash b) noexcept { return a.value != b.value; }
};

// XXH3, 64 bits, seed 0, of the key's bytes; the same on every machine. The key may be empty and
// may hold any bytes. Safe from any thread.
WINNOW_EXPORT KeyHash HashKey(std::string_view key) noexcept;

}  // namespace winnow

#endif  // WINNOW_HASH_H_
