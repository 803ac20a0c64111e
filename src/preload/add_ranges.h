// Prefix extractor of range filters for column families that have none: WINNOW_RANGE_BITS.

#ifndef WINNOW_SRC_PRELOAD_ADD_RANGES_H_
#define WINNOW_SRC_PRELOAD_ADD_RANGES_H_

#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Returns the reason why a column family with these options gets no range filters, as the end of a
// sentence about the family; empty if it gets them. The options must already have the added policy.
// A family gets range filters if an interposed policy builds Winnow's filters for it, and if
// winnow.range does not change its behavior: its keys are in bytewise order, it has no prefix
// extractor, and no memtable or filter that needs prefixes.
std::string ReasonForNoRanges(const ColumnFamilyOptions& options);

// Sets the extractor in these options if WINNOW_RANGE_BITS is in force and there is no reason not
// to. `families` are those that have these options. If WINNOW_LOG is on, reports on stderr what was
// done, or the reason.
void AddRanges(const Names& families, const std::string& database, ColumnFamilyOptions* options);
// Sets the extractor for column families that are opened or created together, each with its
// options.
void AddRanges(const std::string& database, Families* families);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_ADD_RANGES_H_
