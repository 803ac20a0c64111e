// Builder of the trees of range_trees.h from sorted keys, block by block, which keeps the keys of
// at most two blocks in memory.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_TREE_BUILDER_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_TREE_BUILDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/core/ranges/range_trees.h"

namespace winnow::core {

class RangeTreeBuilder {
 public:
  // The shape must keep at most 32 bits of a leaf and of an edge.
  explicit RangeTreeBuilder(const RangeTreeShape& shape) noexcept : shape_(shape) {}
  RangeTreeBuilder(const RangeTreeBuilder&) = delete;
  RangeTreeBuilder& operator=(const RangeTreeBuilder&) = delete;

  // Adds a key. Returns false if these keys can't have such a filter. Throws std::bad_alloc.
  bool Add(std::string_view key);

  // Completes the trees after the last key.
  void Finish();

  uint64_t size() const noexcept { return size_; }
  const std::string& last_key() const noexcept { return last_key_; }

  // Returns an upper bound of the size in bytes of a filter of n such keys.
  size_t EstimateBytes(uint64_t n) const noexcept;

  // The parts of the filter, after Finish.
  uint64_t blocks() const noexcept { return entries_.size() / RangeTrees::kEntryBytes; }
  const std::string& entries() const noexcept { return entries_; }
  const std::string& separators() const noexcept { return separators_; }
  const std::string& trees() const noexcept { return trees_; }

 private:
  // Range of the keys per block; the last block may have fewer. A block ends where adjacent keys
  // have few bits in common, so that the separator is short.
  static constexpr size_t kLeastKeys = 64;
  static constexpr size_t kMostKeys = 128;
  // Leaves have lengths if at least one key in so many begins the next one, as folders do: then
  // scans of all keys that begin with a key are likely. Elsewhere bits of the key deny more.
  static constexpr uint64_t kFewBegin = 1024;

  std::string_view Key(size_t i) const noexcept {
    return std::string_view(bytes_).substr(begins_[i], begins_[i + 1] - begins_[i]);
  }
  size_t ChooseEnd() const noexcept;
  void EndBlock(size_t end, std::string_view next_separator);
  void AppendTree(size_t end, uint64_t depth) noexcept;
  void AppendLeaf(size_t number, uint64_t depth) noexcept;
  void AppendBranch(size_t at, uint64_t depth) noexcept;
  // Appends the hash of the key's bits from `at` to before `end`; nothing if hash_bits is 0.
  void AppendHash(std::string_view key, uint64_t at, uint64_t end, unsigned hash_bits) noexcept;
  void AppendNumber(uint64_t number, unsigned order) noexcept;  // in Elias's gamma code
  void Append(uint64_t value, unsigned bits) noexcept;          // appends at most 32 bits
  void EndTree();

  const RangeTreeShape shape_;
  uint64_t size_ = 0;
  uint64_t keys_that_begin_the_next_ = 0;
  bool leaves_have_lengths_ = false;  // in the current tree
  std::string last_key_;
  // Keys that are in no block yet, and, except for the first one, the first bit in which each
  // differs from the previous key.
  size_t waiting_ = 0;
  std::string bytes_;
  std::array<uint32_t, kMostKeys + 2> begins_{};
  std::array<uint32_t, kMostKeys + 1> depths_{};

  std::string separator_;  // separator of their block
  std::string entries_;
  std::string separators_;
  std::string trees_;
  // The current tree: a bit, and per key, a leaf with a length of at most 23 bits, and a branch
  // with a code of at most 34.
  std::array<unsigned char, (kMostKeys * (1 + 32 + 23 + 1 + 34 + 32) + 8) / 8> tree_;
  unsigned char* tree_end_ = nullptr;
  uint64_t pending_ = 0;  // bits of the tree not yet written
  unsigned pending_bits_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_TREE_BUILDER_H_
