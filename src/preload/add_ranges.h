// The prefix extractor of range filters for column families that have none: WINNOW_RANGE_BITS.

#ifndef WINNOW_SRC_PRELOAD_ADD_RANGES_H_
#define WINNOW_SRC_PRELOAD_ADD_RANGES_H_

#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Why a column family with these options, to which a policy was added if it gets one, gets no range
// filters from us, as the end of a sentence about it; empty if it gets them. It gets them if a
// policy in our hands builds Winnow's filters for it, and if winnow.range changes nothing of what
// it has: its keys are in the order of their bytes, it has no prefix extractor, and no memtable or
// filter that goes by prefixes alone.
std::string ReasonForNoRanges(const ColumnFamilyOptions& options);

// Sets the extractor in these options if WINNOW_RANGE_BITS is in force and there is no reason not
// to. Where WINNOW_LOG is on, says on stderr what was done, or why not.
void AddRanges(const std::string& family, const std::string& database,
               ColumnFamilyOptions* options);
// The same for column families that are opened or made together.
void AddRanges(const std::string& database, Families* families);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_ADD_RANGES_H_
