// Access to the range filter of all keys in a RocksDB table's filter block.

#ifndef WINNOW_TESTS_SUPPORT_RANGE_OF_TABLE_H_
#define WINNOW_TESTS_SUPPORT_RANGE_OF_TABLE_H_

#include <string_view>

#include "src/core/notes.h"
#include "src/core/ranges/range_note.h"

namespace winnow::testing {

inline std::string_view RangeFilterOfTable(std::string_view filter_block) {
  const core::TableRanges ranges(filter_block);
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges.role(i) == core::RangeRole::kAllKeys) return ranges.bytes(i);
  }
  return {};
}

// Returns a copy of the block with this range filter.
inline FilterBlock WithRangeFilterOfTable(std::string_view filter_block,
                                          std::string_view range_filter) {
  const char of_all[] = {static_cast<char>(core::RangeRole::kAllKeys)};
  return core::WithNote(filter_block, core::kTableRangeNote, {of_all, sizeof of_all}, range_filter);
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_RANGE_OF_TABLE_H_
