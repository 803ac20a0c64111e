// Builder of positions by retrieval (range_retrieval.h).

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_RETRIEVAL_BUILDER_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_RETRIEVAL_BUILDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/core/hash_chunks.h"
#include "src/core/payload.h"
#include "src/core/ranges/range_retrieval.h"
#include "src/core/ranges/range_sort.h"

namespace winnow::core {

// Returns the columns of a retrieval whose ranges pass at the rate of range_bits; `whole` is 0 if
// range_bits is less than 6 or more than a Ribbon's columns.
Columns RetrievalColumns(double range_bits) noexcept;

// Returns the approximate size behind the front of positions of n keys, each in a separate block:
// by retrieval, or stored if range_bits does not allow a retrieval.
uint64_t UsualPositionsBytes(uint64_t n, double range_bits) noexcept;

// Counts, for each number of low bits, the blocks of the keys, and the keys that are alone in their
// block.
class RetrievalCounts {
 public:
  // Adds the next keys in order: their positions, and the hashes of the bytes before these.
  void Add(const uint64_t* positions, const uint64_t* hashes, size_t n) noexcept;
  // Completes the counts after the last key.
  void Finish() noexcept;

  // Returns the shape with the fewest bits, or one with hardly more bits whose ranges touch fewer
  // blocks. Sets *bytes to its approximate size. The layers are not yet counted.
  RetrievalShape Best(Columns columns, uint64_t* bytes) const noexcept;

 private:
  static constexpr unsigned kBits = 64;
  static constexpr unsigned kApart = kBits + 1;  // keys that share no block of any size

  void End(unsigned behind) noexcept;

  uint64_t keys_ = 0;
  uint64_t position_ = 0;
  uint64_t hash_ = 0;
  unsigned before_ = kApart;  // highest bit in which the last key differs from the one before
  // Keys by the highest bit in which they differ from the previous key, and from the nearer
  // neighbor.
  std::array<uint64_t, kApart + 1> by_before_{};
  std::array<uint64_t, kApart + 1> by_nearer_{};
  // Keys that are alone in a block of this many low bits, all of which are ones.
  std::array<uint64_t, simd::kRibbonMaxColumns + 1> escapes_{};
};

// Builds the retrieval in a second pass over the keys, for a shape chosen by their counts.
class RetrievalBuilder {
 public:
  RetrievalBuilder(const RetrievalShape& shape, HashChunkPool* pool);

  void Add(const uint64_t* positions, const uint64_t* hashes, size_t n);

  // Appends the arrays to the payload, and completes *shape. Returns false if the keys are not
  // those that were counted. Throws std::bad_alloc.
  bool Finish(Payload* payload, RetrievalShape* shape);

 private:
  void EndBlock();
  void AddCrowded(uint64_t low);

  RetrievalShape shape_;
  HashChunkPool* pool_;
  HashBin items_;
  std::unique_ptr<RangeSorter> crowded_;  // null: there are none
  uint64_t crowded_added_ = 0;
  uint64_t item_ = 0;  // item of the last key's block
  uint64_t block_ = 0;
  uint64_t hash_ = 0;
  uint64_t low_ = 0;  // low bits of the block's first key
  uint64_t in_block_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_RETRIEVAL_BUILDER_H_
