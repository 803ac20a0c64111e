// Building positions by retrieval: range_retrieval.h says what these are.

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

// The columns of a retrieval whose ranges pass at the rate that range_bits mean; none, whole is 0,
// if that is not between 6 and the columns that a Ribbon may have.
Columns RetrievalColumns(double range_bits) noexcept;

// About the bytes behind the front of positions of n keys, each in a block of its own: by
// retrieval, or stored if these range_bits can't be retrieved.
uint64_t UsualPositionsBytes(uint64_t n, double range_bits) noexcept;

// Counts, for each number of low bits, how many blocks the keys have, and how many of the keys are
// alone in theirs.
class RetrievalCounts {
 public:
  // The next keys in their order: each has a position, behind bytes with a hash.
  void Add(const uint64_t* positions, const uint64_t* hashes, size_t n) noexcept;
  // After the last one.
  void Finish() noexcept;

  // Returns the shape that takes the fewest bits, or hardly more and makes ranges touch fewer
  // blocks; *bytes: about how many it takes. The layers are still to be counted.
  RetrievalShape Best(Columns columns, uint64_t* bytes) const noexcept;

 private:
  static constexpr unsigned kBits = 64;
  static constexpr unsigned kApart = kBits + 1;  // keys that share no block of any size

  void End(unsigned behind) noexcept;

  uint64_t keys_ = 0;
  uint64_t position_ = 0;
  uint64_t hash_ = 0;
  unsigned before_ = kApart;  // the bits of the last key in which it differs from the one before
  // Keys by the bits in which they differ from the key before, and from the nearer neighbour.
  std::array<uint64_t, kApart + 1> by_before_{};
  std::array<uint64_t, kApart + 1> by_nearer_{};
  // Keys alone in a block of so many low bits, all of which are ones.
  std::array<uint64_t, simd::kRibbonMaxColumns + 1> escapes_{};
};

// Takes the keys a second time, for a shape that was chosen by their counts.
class RetrievalBuilder {
 public:
  RetrievalBuilder(const RetrievalShape& shape, HashChunkPool* pool);

  void Add(const uint64_t* positions, const uint64_t* hashes, size_t n);

  // Appends the arrays to the payload, and sets their shape. False if these are not the keys that
  // were counted. Throws std::bad_alloc.
  bool Finish(Payload* payload, RetrievalShape* shape);

 private:
  void EndBlock();
  void AddCrowded(uint64_t low);

  RetrievalShape shape_;
  HashChunkPool* pool_;
  HashBin items_;
  std::unique_ptr<RangeSorter> crowded_;  // null: there are none
  uint64_t crowded_added_ = 0;
  uint64_t item_ = 0;  // of the block that the last key is in
  uint64_t block_ = 0;
  uint64_t hash_ = 0;
  uint64_t low_ = 0;  // of the block's first key
  uint64_t in_block_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_RETRIEVAL_BUILDER_H_
