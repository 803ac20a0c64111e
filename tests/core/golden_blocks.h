// The golden blocks of tests/golden_blocks: files that every reader of the format has to understand
// for good.

#ifndef WINNOW_TESTS_CORE_GOLDEN_BLOCKS_H_
#define WINNOW_TESTS_CORE_GOLDEN_BLOCKS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/hash.h"
#include "winnow/options.h"

namespace winnow::testing {

// Absent keys that each block is asked for: "absent0" and on. One with a range filter is asked for
// as many ranges.
inline constexpr int kGoldenAbsent = 2000;

// A line of answers.txt.
struct GoldenBlock {
  std::string name;  // of the file, without .block
  FilterKind kind = FilterKind::kEmpty;
  double bits_per_key = 10;
  uint64_t keys = 0;  // "key0" and on, or hashes: hash i is base + i * stride; see KeyOf
  bool are_hashes = false;
  uint64_t base = 0;
  uint64_t stride = 0;
  // Behind the layers: -, nothing; note, one that no builder of ours writes; tree, a tree note of
  // the keys up to key2999; positions, retrieval or trees, a range filter of that kind; table, one
  // of positions as RocksDB's tables have it.
  std::string note = "-";
  std::vector<int> passes;        // which absent keys "may be contained", ascending
  std::vector<int> range_passes;  // and which ranges

  std::string KeyOf(uint64_t i) const;
  std::vector<KeyHash> KeyHashes() const;
  bool has_positions() const { return note == "positions" || note == "table"; }
  bool has_retrieval() const { return note == "retrieval"; }
  bool has_ranges() const { return has_positions() || has_retrieval() || note == "trees"; }
};

KeyHash GoldenAbsentHash(int i);

// [begin, end)
struct GoldenRange {
  std::string begin;
  std::string end;
};
GoldenRange GoldenRangeOf(const GoldenBlock& block, int i);

// The answers of the stand-alone reader (standalone_reader.c).
bool StandaloneMayContain(std::string_view block, KeyHash hash);
bool StandaloneMayContainRange(std::string_view block, std::string_view begin,
                               std::string_view end);

// Reads the folder's answers.txt. Throws std::runtime_error with a sentence for what it can't read.
std::vector<GoldenBlock> ReadGoldenBlocks(const std::string& folder);
std::string ReadGoldenBytes(const std::string& folder, const GoldenBlock& block);

// Returns the bytes that today's builder makes of it, with the note if it has one.
std::string BuildGoldenBytes(const GoldenBlock& block);

// Writes the blocks that today's builder makes, with the answers of the stand-alone reader.
void WriteGoldenBlocks(const std::string& folder);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_CORE_GOLDEN_BLOCKS_H_
