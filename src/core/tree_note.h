// The note of a RocksDB table's filter about the table's place in its tree (FORMAT.md): which tree,
// from which key to which, and why the filter has its rate. A process that opens the table learns
// from it what the process that wrote the table knew. Level and number of keys are in the tail.

#ifndef WINNOW_SRC_CORE_TREE_NOTE_H_
#define WINNOW_SRC_CORE_TREE_NOTE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::core {

// The rule that gave a filter its rate. The numbers are in files.
enum class RateReason : uint8_t {
  kBitsPerKey = 0,   // the rate of bits_per_key
  kLevel = 1,        // the file's level
  kKeysInRange = 2,  // the tree's keys in the file's range
  kLookups = 3,      // sampled lookups
  kLeastBits = 4,    // one of these two, but no filter has fewer bits
  kMostBits = 5,     // or more
  kMemory = 6,       // what the tree's filters may take together
};

struct TreeNote {
  uint64_t tree = 0;  // the tree's id; 0: none
  RateReason reason = RateReason::kBitsPerKey;
  // log2 of lambda, and of the lookups that reach the file for each of its keys, if the tree gets
  // as many lookups as it has keys: of the rules that have them, else 0. In steps of 1/256, within
  // 127 of 0.
  double log2_lambda = 0;
  double log2_reach = 0;
  // The first and the last key of the filter, in the order of bytes, or their first bytes.
  std::string first;
  std::string last;
};

// The keys of a note together have at most so many bytes, where those that both begin with count
// once.
inline constexpr size_t kMaxTreeNoteKeys = 64;
// A note takes at most this share of its filter.
inline constexpr size_t kFiltersOfTreeNote = 64;

// The bytes of a note that has room in a filter block of this size, with its entry in the
// directory. Empty if it has none, or would not tell the two keys apart.
std::string EncodeTreeNote(const TreeNote& note, size_t filter_bytes);

// Unset if these are not the bytes of a note that this version knows, or if they are damaged.
std::optional<TreeNote> DecodeTreeNote(std::string_view note);

// The note of a filter block; unset if it has none, or is no block of ours.
std::optional<TreeNote> TreeNoteOf(std::string_view filter_block);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_TREE_NOTE_H_
