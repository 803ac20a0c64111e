// Making the trees of range_trees.h of sorted keys, block by block as they come, so that no more
// keys than those of two blocks are kept.

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
  // The shape keeps at most 32 bits of a leaf and of an edge.
  explicit RangeTreeBuilder(const RangeTreeShape& shape) noexcept : shape_(shape) {}
  RangeTreeBuilder(const RangeTreeBuilder&) = delete;
  RangeTreeBuilder& operator=(const RangeTreeBuilder&) = delete;

  // False: these keys can't have such a filter. Throws std::bad_alloc.
  bool Add(std::string_view key);

  // After the last key.
  void Finish();

  uint64_t size() const noexcept { return size_; }
  const std::string& last_key() const noexcept { return last_key_; }

  // The most bytes of a filter of n such keys.
  size_t EstimateBytes(uint64_t n) const noexcept;

  // The parts of the filter, after Finish.
  uint64_t blocks() const noexcept { return entries_.size() / RangeTrees::kEntryBytes; }
  const std::string& entries() const noexcept { return entries_; }
  const std::string& separators() const noexcept { return separators_; }
  const std::string& trees() const noexcept { return trees_; }

 private:
  // A block has so many keys, the last one fewer. The fewer bits the keys on both sides have in
  // common, the shorter is what separates them.
  static constexpr size_t kLeastKeys = 64;
  static constexpr size_t kMostKeys = 128;

  std::string_view Key(size_t i) const noexcept {
    return std::string_view(bytes_).substr(begins_[i], begins_[i + 1] - begins_[i]);
  }
  size_t ChooseEnd() const noexcept;
  void EndBlock(size_t end, std::string_view next_separator);
  void AppendTree(size_t end, uint64_t depth) noexcept;
  void AppendLeaf(size_t key, uint64_t depth) noexcept;
  void AppendBranch(size_t at, uint64_t depth) noexcept;
  void Append(uint64_t value, unsigned bits) noexcept;  // at most 32 of them
  void EndTree();

  const RangeTreeShape shape_;
  uint64_t size_ = 0;
  std::string last_key_;
  // Keys that are in no block yet, and from the second one on the first bit in which each differs
  // from the one before.
  size_t waiting_ = 0;
  std::string bytes_;
  std::array<uint32_t, kMostKeys + 2> begins_{};
  std::array<uint32_t, kMostKeys + 1> depths_{};

  std::string separator_;  // of the block that they will be in
  std::string entries_;
  std::string separators_;
  std::string trees_;
  // The tree that is being made: for each key a leaf, and a branch of at most 17 bits of code.
  std::array<unsigned char, kMostKeys*(1 + 32 + 1 + 2 * 17 + 32) / 8> tree_;
  unsigned char* tree_end_ = nullptr;
  uint64_t pending_ = 0;  // its bits that are not written yet
  unsigned pending_bits_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_TREE_BUILDER_H_
