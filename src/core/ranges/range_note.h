// The range filter of a RocksDB table, which is a note of its own (FORMAT.md).

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_NOTE_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_NOTE_H_

#include <string_view>

#include "winnow/builder.h"

namespace winnow::core {

// Do what RangeFilterOf and WithRangeFilter (winnow/range_filter.h) do, for a note that only the
// plugin writes: whoever adds one has seen that the table's keys are in the order of their bytes. A
// role that this version does not know counts as no range filter.
std::string_view RangeFilterOfTable(std::string_view filter_block) noexcept;
FilterBlock WithRangeFilterOfTable(std::string_view filter_block, std::string_view range_filter);

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_NOTE_H_
