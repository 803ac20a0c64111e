// Filter blocks that somebody made up: taken apart, changed with an eye to what their parts mean,
// and put together with the checksums that make a reader believe them.

#ifndef WINNOW_TESTS_FUZZ_FORGED_BLOCK_H_
#define WINNOW_TESTS_FUZZ_FORGED_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/format.h"
#include "tests/support/random_hashes.h"

namespace winnow::fuzz {

// The parts of any bytes, of a block or not.
struct BlockParts {
  std::string payload;
  std::vector<core::LayerEntry> entries;
  std::string tail;  // core::kTailBytes

  explicit BlockParts(std::string_view bytes);

  // The bytes that the entries take of the payload; those that can't be take none.
  uint64_t PayloadBytes() const;

  // The block, with version, hash, magic number, marker, number of entries and both checksums
  // right.
  std::string Assemble() const;
};

// The bytes as a block with those things right, whatever else it says.
std::string Repaired(std::string_view bytes);

// Changes a block at one to three places, and nearly always makes it one that is believed.
std::string ChangedBlock(std::string_view bytes, size_t max_size, testing::RandomHashes* random);

// The hashes that a block is asked for: some at the limits, the others at random by `seed`.
std::vector<uint64_t> HashesToAsk(uint64_t seed, size_t n);

}  // namespace winnow::fuzz

#endif  // WINNOW_TESTS_FUZZ_FORGED_BLOCK_H_
