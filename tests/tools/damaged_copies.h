// SST files of many kinds, and damaged copies of them, the same ones for the same numbers.

#ifndef WINNOW_TESTS_TOOLS_DAMAGED_COPIES_H_
#define WINNOW_TESTS_TOOLS_DAMAGED_COPIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/tools/damaged_layout.h"

namespace winnow::testing {

// The number of a twin's first key (KeyOf); a good file begins with key 0.
inline constexpr uint64_t kFirstOfTwin = 1'000'000;

// A good file, and its twin of the same settings with other keys, that all come after its own.
struct DamagedKind {
  std::string name;
  bool asks_keys = false;  // has a filter that denies other keys
  std::string file;
  SstLayout layout;
  std::string twin;
  SstLayout twin_layout;
};

// Kinds of format versions 2 to 5, each compression that RocksDB has here, each type of checksum,
// index and filter. Writes into the folder meanwhile. Reports a failure by GoogleTest if it can't.
std::vector<DamagedKind> MakeDamagedKinds(const std::string& folder);

struct DamagedCopy {
  std::string kind;    // DamagedKind::name
  std::string damage;  // what was done, for people
  std::string bytes;
  std::string not_covered;  // why the file need not be named; empty: it must be
};

// Damage that exchanges of whole blocks, whose checksums stay right, leave uncovered.
inline constexpr std::string_view kTwinsLastBlock =
    "a last block of later keys, in a file whose filter is not asked for them";
inline constexpr std::string_view kTwinsIndex =
    "the index of a file with blocks at the same places";
inline constexpr std::string_view kTwinsOther =
    "properties, deleted ranges or a dictionary of another file of the same sizes";

// The damage of that number. It changes at least one byte.
DamagedCopy Damage(const std::vector<DamagedKind>& kinds, uint64_t number);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_TOOLS_DAMAGED_COPIES_H_
