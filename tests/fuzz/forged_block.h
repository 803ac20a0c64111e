// Forged filter blocks: parsed, mutated with knowledge of their structure, and reassembled with
// correct checksums, so that readers accept them.

#ifndef WINNOW_TESTS_FUZZ_FORGED_BLOCK_H_
#define WINNOW_TESTS_FUZZ_FORGED_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/format.h"
#include "tests/support/random_hashes.h"
#include "winnow/hash.h"

namespace winnow::fuzz {

// Parts of arbitrary bytes, which need not be a block.
struct BlockParts {
  std::string payload;
  std::vector<core::LayerEntry> entries;
  std::string tail;  // core::kTailBytes

  explicit BlockParts(std::string_view bytes);

  // Returns the payload size of the entries; invalid entries count 0.
  uint64_t PayloadBytes() const;

  // Returns the block with correct version, hash, magic, marker, number of entries and checksums.
  std::string Assemble() const;
};

// Returns the bytes with correct version, hash, magic, marker, number of entries and checksums,
// regardless of other contents.
std::string Repaired(std::string_view bytes);

// Mutates a block at one to three places; nearly always, readers accept the result.
std::string ChangedBlock(std::string_view bytes, size_t max_size, testing::RandomHashes* random);

// Changes an input that is one block in this way, in place. Returns its new size.
size_t ChangeBlock(uint8_t* data, size_t size, size_t max_size, unsigned seed);

// Returns the hashes that a block is asked for: some extreme values, and random ones by `seed`.
std::vector<KeyHash> HashesToAsk(uint64_t seed, size_t n);

}  // namespace winnow::fuzz

#endif  // WINNOW_TESTS_FUZZ_FORGED_BLOCK_H_
