// The golden blocks of tests/golden_blocks: files that every reader of the format has to understand
// for good.

#ifndef WINNOW_TESTS_CORE_GOLDEN_BLOCKS_H_
#define WINNOW_TESTS_CORE_GOLDEN_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "winnow/hash.h"
#include "winnow/options.h"

namespace winnow::testing {

// Absent keys that each block is asked for: "absent0" and on.
inline constexpr int kGoldenAbsent = 2000;

// A line of answers.txt.
struct GoldenBlock {
  std::string name;  // of the file, without .block
  FilterKind kind = FilterKind::kEmpty;
  double bits_per_key = 10;
  uint64_t keys = 0;  // "key0" and on, or hashes: hash i is base + i * stride
  bool are_hashes = false;
  uint64_t base = 0;
  uint64_t stride = 0;
  bool has_note = false;    // which no builder of ours writes
  std::vector<int> passes;  // which absent keys "may be contained", ascending

  std::vector<KeyHash> KeyHashes() const;
};

KeyHash GoldenAbsentHash(int i);

// Of answers.txt in this folder. Throws std::runtime_error with a sentence for what it can't read.
std::vector<GoldenBlock> ReadGoldenBlocks(const std::string& folder);
std::string ReadGoldenBytes(const std::string& folder, const GoldenBlock& block);

// What today's builder makes of it, with the note if it has one.
std::string BuildGoldenBytes(const GoldenBlock& block);

// Writes the blocks that today's builder makes, with the answers of the stand-alone reader.
void WriteGoldenBlocks(const std::string& folder);

}  // namespace winnow::testing

// tests/core/standalone_reader.c
extern "C" int standalone_may_contain(const unsigned char* block, size_t size, uint64_t hash);
extern "C" int standalone_may_contain_range(const unsigned char* block, size_t size,
                                            const unsigned char* begin, size_t begin_size,
                                            const unsigned char* end, size_t end_size);

#endif  // WINNOW_TESTS_CORE_GOLDEN_BLOCKS_H_
