// Hash of a key, computed once and used by every filter of every file, whatever its kind and size.

#ifndef WINNOW_HASH_H_
#define WINNOW_HASH_H_

#include <cstdint>
#include <string_view>

#include "winnow/version.h"

namespace winnow {

// The 64-bit hash of a key. Filters derive everything they need from these 64 bits, so a custom
// hash must be as good as HashKey in all of them: a weak one makes false positives frequent (never
// false negatives).
struct KeyHash {
  uint64_t value;

  friend bool operator==(KeyHash a, KeyHash b) noexcept { return a.value == b.value; }
  friend bool operator!=(KeyHash a, KeyHash b) noexcept { return a.value != b.value; }
};

// Returns the 64-bit XXH3 of the key's bytes with seed 0, the same on every machine. The key may be
// empty and may hold any bytes. Thread-safe.
WINNOW_EXPORT KeyHash HashKey(std::string_view key) noexcept;

}  // namespace winnow

#endif  // WINNOW_HASH_H_
