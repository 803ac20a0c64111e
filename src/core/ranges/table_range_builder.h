// Builder of a RocksDB table's range filters, of the kind that its scans need.

#ifndef WINNOW_SRC_CORE_RANGES_TABLE_RANGE_BUILDER_H_
#define WINNOW_SRC_CORE_RANGES_TABLE_RANGE_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/core/ranges/range_note.h"
#include "winnow/range_filter.h"

namespace winnow::core {

// A range [first, second) that a scan asked for. Not a struct, since functions of std for a struct
// of ours would be symbols of the adopted archive.
using AskedRange = std::pair<std::string, std::string>;

// Kinds of range filters of a table.
enum class RangeKinds : uint8_t {
  kByKeys,     // the kind that RangeFilterBuilder chooses for keys of the usual length
  kPositions,  // positions, for keys that can have one; by retrieval if that takes fewer bits
  kTrees,
  kBest,  // builds both, and keeps the one that denies more of the asked ranges
};

struct TableRangePlan {
  RangeKinds kinds = RangeKinds::kByKeys;
  double range_bits = 15;
  // Ranges by which the kinds are compared; may be null.
  std::shared_ptr<const std::vector<AskedRange>> asked;
};

// Numbers of asked ranges that filters of each kind deny.
struct DeniedRanges {
  uint64_t by_positions = 0;
  uint64_t by_trees = 0;
  bool is_measured = false;  // both kinds were built
};

// Returns views of the bytes of `ranges`.
TableRanges ViewsOf(const std::vector<TableRange>& ranges) noexcept;

// Builder of a table's range filters. Positions are for keys of one length, the most frequent one
// among the first keys. Keys of other lengths get a filter of trees, and both filters are parts
// (RangeRole). No function throws. Not thread-safe, like RangeFilterBuilder.
class TableRangeBuilder {
 public:
  explicit TableRangeBuilder(const TableRangePlan& plan) noexcept;

  // Adds a key, which must not be less than the previous one, bytewise.
  void Add(std::string_view key) noexcept;

  // Gives up: the keys added so far, and those added until Finish or Clear, get no range filter.
  void Abandon() noexcept;

  // Number of keys kept since the last Finish; 0 once it is known that they get no range filter.
  uint64_t num_keys() const noexcept;

  // Returns the highest false-positive rate of lookups of keys in positions of all keys, if they
  // are like those added so far; 1 if there are keys or kinds without positions.
  double ExpectedKeyRate() const noexcept;

  // Returns an upper bound of the size in bytes of the filters of n keys like those added so far.
  size_t EstimateSize(uint64_t n) const noexcept;

  // Builds the filters of the keys kept; empty if there can't be any. The builder is then empty.
  std::vector<TableRange> Finish() noexcept;

  void Clear() noexcept;

  // Returns the numbers of asked ranges that the filters of the last Finish denied.
  const DeniedRanges& denied() const noexcept { return denied_; }

 private:
  // Number of first keys, by which the usual length is determined.
  static constexpr size_t kFirstKeys = 64;
  // Minimum percentage of keys with the usual length; with fewer, all keys are trees unless
  // positions are asked for.
  static constexpr size_t kLeastShare = 75;

  bool has_trees_beside() const noexcept { return plan_.kinds == RangeKinds::kBest; }
  void Place(std::string_view key);
  void PlaceFirstKeys();
  void AbandonParts() noexcept;
  std::vector<TableRange> FinishParts();
  std::vector<TableRange> Choose(std::vector<TableRange> parts, FilterBlock trees);

  const TableRangePlan plan_;
  RangeFilterBuilder main_;    // keys of the usual length, or all keys
  RangeFilterBuilder others_;  // trees of the other keys
  RangeFilterBuilder trees_;   // trees of all keys, with kBest
  size_t usual_length_ = 0;    // 0: any
  bool is_rare_ = false;       // the usual length is rarer than kLeastShare
  bool has_main_ = false;      // has a key
  bool has_others_ = false;
  bool is_other_ = false;  // the last key is in others_
  bool has_no_parts_ = false;
  bool has_none_ = false;
  std::string first_key_;  // used with kBest
  std::string last_key_;
  bool has_begun_ = false;  // the first keys are in their builders
  std::string first_bytes_;
  std::vector<size_t> first_ends_;
  DeniedRanges denied_;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_TABLE_RANGE_BUILDER_H_
