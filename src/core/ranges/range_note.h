// Range filters of a RocksDB table, as notes of its filter block (FORMAT.md).

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_NOTE_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_NOTE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/core/format.h"
#include "src/simd/kernels.h"
#include "winnow/builder.h"
#include "winnow/range_filter.h"

namespace winnow::core {

// Keys of a range filter, relative to those of the filter block. The numbers are those of the
// serialized form; unknown numbers count as no range filter.
enum class RangeRole : uint8_t {
  kAllKeys = 0,
  kPart = 1,  // each key is in one of the filters with this role
};

// Views of all range filters of a table. Thread-safe, like RangeFilterView.
class TableRanges {
 public:
  static constexpr size_t kMost = 4;

  // An empty object, for which every range may contain a key.
  TableRanges() noexcept = default;

  // Has the range filters of a filter block, or none if there are more than kMost. If `verified`,
  // the views are those of RangeFilterView::Verified.
  explicit TableRanges(std::string_view filter_block, bool verified = false) noexcept;

  // Adds a filter, one of `parts` filters with this role; a kAllKeys filter is independent of
  // others.
  void Add(RangeRole role, unsigned parts, const RangeFilterView& view,
           std::string_view bytes) noexcept;

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const RangeFilterView& view(size_t i) const noexcept { return filters_[i].view; }
  std::string_view bytes(size_t i) const noexcept { return filters_[i].bytes; }
  RangeRole role(size_t i) const noexcept { return filters_[i].role; }
  // Returns the size in bytes of all range filters.
  size_t size_bytes() const noexcept;
  // Returns the fault of the first filter that has one.
  Fault fault() const noexcept;

  // Returns whether a key may be in [begin, end): false only if no such key was added to the
  // table's filter. Decided by one filter of all keys, or by all parts together.
  bool MayContain(std::string_view begin, std::string_view end) const noexcept;

 private:
  struct Filter {
    RangeFilterView view;
    std::string_view bytes;
    std::string_view last_key;  // last key of a part
    RangeRole role = RangeRole::kAllKeys;
  };

  bool AnyPartMayContain(std::string_view begin, std::string_view end) const noexcept;

  std::array<Filter, kMost> filters_;
  uint8_t size_ = 0;
  uint8_t parts_ = 0;           // number of parts present
  uint8_t parts_expected_ = 0;  // 0: none
  bool has_doubt_ = false;      // a part can't be used
  std::string_view last_key_;   // greatest last key of all parts
};

// A filter block that passes every key, for a table whose range filter answers lookups of keys,
// too: a Bloom filter of one block whose bits are all set, which every Winnow can read.
//
// The tail has level, plan and rate of the options, as information. Throws std::bad_alloc.
FilterBlock PassingFilter(const FilterOptions& options, uint64_t num_hashes);
// Its size.
inline constexpr size_t kPassingFilterBytes = simd::kBloomBlockBytes + kEntryBytes + kTailBytes;

// Returns whether `ranges` are positions of all keys, stored or by retrieval.
bool ArePositionsOfAllKeys(const TableRanges& ranges) noexcept;

// Returns whether lookups of keys are answered by the table's range filter: the block passes every
// key, and `ranges`, its range filters, are positions of all keys.
bool AnswersKeys(std::string_view filter_block, const TableRanges& ranges) noexcept;

// Returns the expected false-positive rate of lookups of keys in positions, 0 to 1; 0 if they are
// exact.
double KeyRate(const RangeFilterView& positions) noexcept;
// Returns that of a filter block, of its positions if these answer the lookups; 1 for a fault.
double ExpectedKeyRate(std::string_view filter_block) noexcept;

// A range filter of a table.
struct TableRange {
  RangeRole role = RangeRole::kAllKeys;
  FilterBlock filter;
};

// Returns the number of filters with the role kPart.
unsigned PartsOf(const std::vector<TableRange>& ranges) noexcept;

// Returns a copy of the filter block with these range filters as notes. For RocksDB tables, unlike
// WithRangeFilter, which is for engines: the caller guarantees that the table's keys are in
// bytewise order. Returns an unchanged copy under the same conditions as WithRangeFilter. Throws
// std::bad_alloc.
FilterBlock WithRangesOfTable(std::string_view filter_block, const std::vector<TableRange>& ranges);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_NOTE_H_
