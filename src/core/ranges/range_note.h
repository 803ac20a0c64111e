// The range filters of a RocksDB table: notes of its filter block (FORMAT.md).

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_NOTE_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_NOTE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "winnow/builder.h"
#include "winnow/range_filter.h"

namespace winnow::core {

// The keys that a range filter has, of those of the filter beside it. The numbers are those of the
// serialized form, and others count as no range filter.
enum class RangeRole : uint8_t {
  kAllKeys = 0,
  kPart = 1,  // each key is in one of the filters with this role
};

// Views of all range filters of a table. Safe from any number of threads, as RangeFilterView is.
class TableRanges {
 public:
  static constexpr size_t kMost = 4;

  // Has no filter, so that every range may contain a key.
  TableRanges() noexcept = default;

  // Has those that a filter block carries; none where it has more than kMost. The views are
  // Verified if `verified`.
  explicit TableRanges(std::string_view filter_block, bool verified = false) noexcept;

  // One of `parts` filters with its role; kAllKeys is by itself.
  void Add(RangeRole role, unsigned parts, const RangeFilterView& view,
           std::string_view bytes) noexcept;

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const RangeFilterView& view(size_t i) const noexcept { return filters_[i].view; }
  std::string_view bytes(size_t i) const noexcept { return filters_[i].bytes; }
  RangeRole role(size_t i) const noexcept { return filters_[i].role; }
  // The bytes that they take together.
  size_t size_bytes() const noexcept;
  // The fault of the first filter that has one.
  Fault fault() const noexcept;

  // Returns whether a key is in [begin, end): false only if none was added to the filter beside
  // them. One filter of all keys says so, or all those of parts.
  bool MayContain(std::string_view begin, std::string_view end) const noexcept;

 private:
  struct Filter {
    RangeFilterView view;
    std::string_view bytes;
    std::string_view last_key;  // of a part
    RangeRole role = RangeRole::kAllKeys;
  };

  bool AnyPartMayContain(std::string_view begin, std::string_view end) const noexcept;

  std::array<Filter, kMost> filters_;
  uint8_t size_ = 0;
  uint8_t parts_ = 0;           // that there are
  uint8_t parts_expected_ = 0;  // 0: none
  bool has_doubt_ = false;      // parts can't be used
  std::string_view last_key_;   // the greatest one of all parts
};

// A range filter for a table.
struct TableRange {
  RangeRole role = RangeRole::kAllKeys;
  FilterBlock filter;
};

// The number of those that have a part of the keys.
unsigned PartsOf(const std::vector<TableRange>& ranges) noexcept;

// The same filter block with these range filters as notes, in place of WithRangeFilter, which is
// for engines: whoever adds them has seen that the table's keys are in the order of their bytes. A
// copy of the block as it is where WithRangeFilter gives one. Throws std::bad_alloc.
FilterBlock WithRangesOfTable(std::string_view filter_block, const std::vector<TableRange>& ranges);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_NOTE_H_
