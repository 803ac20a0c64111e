// Range filter of keys of any length: blocks of keys, each of which is a PATRICIA trie (Morrison
// 1968) that keeps a few bits of long edges, and the lengths of keys. FORMAT.md describes the
// bytes.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_TREES_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_TREES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/core/ranges/range_tree_nodes.h"

namespace winnow::core {

inline constexpr size_t kMaxTreeKeyBytes = 4096;

// Reader of the trees. Reads nothing outside its bytes, even if these are damaged.
struct RangeTrees {
  static constexpr size_t kEntryBytes = 8;  // per block: ends of its separator and its tree
  static constexpr size_t kPadding = 8;     // after the trees, so that loads stay within the bytes

  // Forms of nodes; Winnow 1.x wrote the hashed ones.
  enum class Form : uint8_t { kHashed, kHashedWithLengths, kSized };

  Form form = Form::kSized;
  RangeTreeShape shape;
  std::string_view last_key;
  std::string_view separators;
  std::string_view trees;  // includes the padding
  const unsigned char* entries = nullptr;
  uint32_t blocks = 0;

  // Returns whether a key may be in [begin, end). begin must be less than end, and end at most the
  // last key.
  bool MayContain(std::string_view begin, std::string_view end) const noexcept;
  bool MayHaveKey(std::string_view key) const noexcept;

 private:
  std::string_view Separator(uint32_t block) const noexcept;
  uint32_t BlockOf(std::string_view bound) const noexcept;
  bool MayContain(uint32_t block, std::string_view begin, std::string_view end) const noexcept;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_TREES_H_
