// SST files of many kinds, and damaged copies of them, reproducible by their number.

#ifndef WINNOW_TESTS_TOOLS_DAMAGED_COPIES_H_
#define WINNOW_TESTS_TOOLS_DAMAGED_COPIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/tools/damaged_layout.h"

namespace winnow::testing {

// Number of a twin's first key (KeyOf). A good file begins with key 0.
inline constexpr uint64_t kFirstOfTwin = 1'000'000;

// A good file, and its twin with equal settings and other keys, which are all greater.
struct DamagedKind {
  std::string name;
  bool asks_keys = false;  // has a filter that rejects other keys
  std::string file;
  SstLayout layout;
  std::string twin;
  SstLayout twin_layout;
};

// Makes files with format versions 2 to 5, and with each compression that RocksDB supports here,
// each checksum, index and filter type. Writes temporary files to the folder. Reports a GoogleTest
// failure on errors.
std::vector<DamagedKind> MakeDamagedKinds(const std::string& folder);

struct DamagedCopy {
  std::string kind;    // DamagedKind::name
  std::string damage;  // readable description
  std::string bytes;
  std::string not_covered;  // reason why verify may accept the file; empty if it must report it
};

// Reasons for exchanges of whole blocks, whose checksums stay valid.
inline constexpr std::string_view kTwinsLastBlock =
    "a last block of later keys, in a file whose filter is not asked for them";
inline constexpr std::string_view kTwinsIndex =
    "the index of a file with blocks at the same places";
inline constexpr std::string_view kTwinsOther =
    "properties, deleted ranges or a dictionary of another file of the same sizes";

// Returns the damaged copy with this number, which differs in at least one byte.
DamagedCopy Damage(const std::vector<DamagedKind>& kinds, uint64_t number);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_TOOLS_DAMAGED_COPIES_H_
