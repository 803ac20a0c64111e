// Golden blocks of tests/golden_blocks: files that every reader of the format must always
// understand.

#ifndef WINNOW_TESTS_CORE_GOLDEN_BLOCKS_H_
#define WINNOW_TESTS_CORE_GOLDEN_BLOCKS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/hash.h"
#include "winnow/options.h"

namespace winnow::testing {

// Number of absent keys that each block is asked for: "absent0" etc. A block with a range filter is
// asked for as many ranges.
inline constexpr int kGoldenAbsent = 2000;

// A line of answers.txt.
struct GoldenBlock {
  std::string name;  // file name without .block
  FilterKind kind = FilterKind::kEmpty;
  double bits_per_key = 10;
  uint64_t keys = 0;  // "key0" etc.; or, for hashes, hash i is base + i * stride (see KeyOf)
  bool are_hashes = false;
  uint64_t base = 0;
  uint64_t stride = 0;
  // Content behind the layers. -: nothing; note: a note that no builder of Winnow writes; tree: a
  // tree note of keys up to key2999; positions, retrieval, trees: a range filter of that kind;
  // lengths: trees with lengths; sizes: sized trees; table: one of positions as in RocksDB tables.
  std::string note = "-";
  std::vector<int> passes;        // absent keys that "may be contained", ascending
  std::vector<int> range_passes;  // ranges that "may contain a key", ascending

  std::string KeyOf(uint64_t i) const;
  std::vector<KeyHash> KeyHashes() const;
  bool has_positions() const { return note == "positions" || note == "table"; }
  bool has_retrieval() const { return note == "retrieval"; }
  bool has_trees() const { return note == "trees" || note == "lengths" || note == "sizes"; }
  bool has_ranges() const { return has_positions() || has_retrieval() || has_trees(); }
  // Returns false for the trees that Winnow 1.x wrote.
  bool has_builder() const { return note != "trees" && note != "lengths"; }
};

KeyHash GoldenAbsentHash(int i);

// Range [begin, end).
struct GoldenRange {
  std::string begin;
  std::string end;
};
GoldenRange GoldenRangeOf(const GoldenBlock& block, int i);

// Return the answers of the stand-alone reader (standalone_reader.c).
bool StandaloneMayContain(std::string_view block, KeyHash hash);
std::vector<bool> StandaloneAnswers(std::string_view block, const std::vector<KeyHash>& hashes);
bool StandaloneMayContainRange(std::string_view block, std::string_view begin,
                               std::string_view end);

// Reads the folder's answers.txt. Throws std::runtime_error with a message for unreadable content.
std::vector<GoldenBlock> ReadGoldenBlocks(const std::string& folder);
std::string ReadGoldenBytes(const std::string& folder, const GoldenBlock& block);

// Returns the bytes that the current builder produces for this block, including its note.
std::string BuildGoldenBytes(const GoldenBlock& block);

// Writes the blocks of the folder's answers.txt as the current builder produces them, and in that
// file the answers of the stand-alone reader. The answers of a line for a new block may be missing:
// it ends with its colons.
void WriteGoldenBlocks(const std::string& folder);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_CORE_GOLDEN_BLOCKS_H_
