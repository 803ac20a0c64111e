// Keys that resemble those of applications, for --key_shape.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_SHAPED_KEYS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_SHAPED_KEYS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "db_bench_ext/read_amplification/keys/key_table.h"

namespace winnow::bench {

enum class KeyShape {
  kNumbers,   // even numbers without gaps: GeneratedKeys, not supported here
  kIntegers,  // eight random bytes
  kEvents,    // user of sixteen random bytes, and a time of eight bytes: milliseconds of one day
  kPaths      // paths of files in folders
};

inline constexpr char kKeyShapeHelp[] =
    "numbers, even ones, as db_bench writes them; integers, of 8 random bytes; events, a user of "
    "16 random bytes and 8 bytes of time in milliseconds, 50 a user in one day; paths, of files "
    "in folders";

// Returns the shape with this name in kKeyShapeHelp, or nullopt.
std::optional<KeyShape> FindKeyShape(std::string_view name);

// Returns n distinct keys, sorted. `shape` must not be kNumbers.
KeyTable MakeShapedKeys(KeyShape shape, uint64_t n, uint64_t seed);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_SHAPED_KEYS_H_
