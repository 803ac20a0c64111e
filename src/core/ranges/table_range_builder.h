// Building the range filters of a RocksDB table, of the kind that its scans need.

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

// A range [first, second) that a scan asked for. Functions of std for a struct of our own would be
// symbols of the adopted archive.
using AskedRange = std::pair<std::string, std::string>;

// The kinds of range filters of a table.
enum class RangeKinds : uint8_t {
  kByKeys,     // the one that RangeFilterBuilder takes for keys of the usual length
  kPositions,  // where a key can have a position; by retrieval where that takes fewer bits
  kTrees,
  kBoth,
  kBest,  // both are made, and the one stays that denies more of the ranges that were asked
};

struct TableRangePlan {
  RangeKinds kinds = RangeKinds::kByKeys;
  double range_bits = 15;   // of one kind, or of both together
  double trees_bits = 7.5;  // of range_bits, with kBoth
  // The ranges by which kinds are measured; may be null.
  std::shared_ptr<const std::vector<AskedRange>> asked;
};

// The number of asked ranges that filters of each kind deny.
struct DeniedRanges {
  uint64_t by_positions = 0;
  uint64_t by_trees = 0;
  bool is_measured = false;  // both kinds were there
};

// Refers to the bytes of `ranges`.
TableRanges ViewsOf(const std::vector<TableRange>& ranges) noexcept;

// Positions are of keys of one length, the most frequent one of the first keys. Keys of other
// lengths get a filter of trees beside it, and both are parts (RangeRole). Nothing throws, and one
// thread builds, as with RangeFilterBuilder.
class TableRangeBuilder {
 public:
  explicit TableRangeBuilder(const TableRangePlan& plan) noexcept;

  // Adds a key that is greater than the one before, bytewise, or equal to it.
  void Add(std::string_view key) noexcept;

  // There will be no range filter of these keys, nor of those that are added to them.
  void Abandon() noexcept;

  // The keys kept since the last Finish; 0 once it is known that they get no range filter.
  uint64_t num_keys() const noexcept;

  // The most bytes of the filters of n keys like those added so far.
  size_t EstimateSize(uint64_t n) const noexcept;

  // The filters of the keys kept; none if there can't be any. The builder is empty again.
  std::vector<TableRange> Finish() noexcept;

  void Clear() noexcept;

  // Those that the filters of the last Finish denied.
  const DeniedRanges& denied() const noexcept { return denied_; }

 private:
  // The first keys, which tell the length that most have.
  static constexpr size_t kFirstKeys = 64;
  // Below this share of them, in percent, all keys are trees unless positions are asked for.
  static constexpr size_t kLeastShare = 75;

  bool has_trees_beside() const noexcept {
    return plan_.kinds == RangeKinds::kBoth || plan_.kinds == RangeKinds::kBest;
  }
  double positions_bits() const noexcept;
  void Place(std::string_view key);
  void PlaceFirstKeys();
  void AbandonParts() noexcept;
  std::vector<TableRange> FinishParts();
  std::vector<TableRange> Choose(std::vector<TableRange> parts, FilterBlock trees);

  const TableRangePlan plan_;
  RangeFilterBuilder main_;    // of keys of the usual length, or of all
  RangeFilterBuilder others_;  // trees of the others
  RangeFilterBuilder trees_;   // of all keys, with kBoth and kBest
  size_t usual_length_ = 0;    // 0: any
  bool is_rare_ = false;       // the usual length, by kLeastShare
  bool has_main_ = false;      // a key
  bool has_others_ = false;
  bool is_other_ = false;  // the last key
  bool has_no_parts_ = false;
  bool has_none_ = false;
  std::string first_key_;  // with kBoth and kBest
  std::string last_key_;
  bool has_begun_ = false;  // the first keys are placed
  std::string first_bytes_;
  std::vector<size_t> first_ends_;
  DeniedRanges denied_;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_TABLE_RANGE_BUILDER_H_
