// Note of a RocksDB table's filter about the table's place in its LSM tree (FORMAT.md): the tree,
// the key range, and the reason for the filter's rate. A process that opens the table learns from
// the note what the process that wrote the table knew. Level and number of keys are in the tail.

#ifndef WINNOW_SRC_CORE_TREE_NOTE_H_
#define WINNOW_SRC_CORE_TREE_NOTE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::core {

// Rule that determined a filter's rate. The numbers are stored in files.
enum class RateReason : uint8_t {
  kBitsPerKey = 0,   // the rate of bits_per_key
  kLevel = 1,        // the file's level
  kKeysInRange = 2,  // the tree's keys in the file's range
  kLookups = 3,      // sampled lookups
  kLeastBits = 4,    // kKeysInRange or kLookups, limited by the minimum bits of a filter
  kMostBits = 5,     // kKeysInRange or kLookups, limited by the maximum bits
  kMemory = 6,       // memory budget of the tree's filters
};

struct TreeNote {
  uint64_t tree = 0;  // the tree's id; 0: none
  RateReason reason = RateReason::kBitsPerKey;
  // log2 of lambda, and of the number of lookups that reach the file per key of the file, if the
  // tree gets as many lookups as it has keys; 0 for rules that have no such values. In steps of
  // 1/256, within 127 of 0.
  double log2_lambda = 0;
  double log2_reach = 0;
  // Least and greatest key in bytewise order among those that the plan looked at, one of every 64th
  // of the filter and the first, or prefixes of these: a filter may have keys outside of them.
  std::string first;
  std::string last;
};

// Maximum number of bytes of both keys of a note; their common prefix counts once.
inline constexpr size_t kMaxTreeNoteKeys = 64;
// Minimum size of a filter relative to its note.
inline constexpr size_t kFiltersOfTreeNote = 64;

// Returns the bytes of a note that fits into a filter block of this size, including its directory
// entry. Empty if there is no room, or not enough to tell the two keys apart.
std::string EncodeTreeNote(const TreeNote& note, size_t filter_bytes);

// Returns nullopt if the bytes are damaged or not a note that this version knows.
std::optional<TreeNote> DecodeTreeNote(std::string_view note);

// Returns the tree note of a filter block, or nullopt if there is none or the block is not
// Winnow's.
std::optional<TreeNote> TreeNoteOf(std::string_view filter_block);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_TREE_NOTE_H_
