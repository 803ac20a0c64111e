// A filter policy for the column families that have none, of a database that is opened and when one
// is made later.

#ifndef WINNOW_SRC_PRELOAD_ADD_POLICY_H_
#define WINNOW_SRC_PRELOAD_ADD_POLICY_H_

#include <string>

#include "src/preload/hooks.h"

namespace winnow::preload {

// Why a column family with these options gets no policy from us, as the end of a sentence about it;
// empty if it gets one. It gets one if it has block-based tables without a filter policy, and if a
// filter can't change what the program reads: its comparator must tell apart all keys that differ
// in a byte, and it must have no prefix extractor, by which a filter would make iterators skip what
// lies behind a prefix. "has a filter policy" is said of those that need none.
std::string ReasonToLeave(const ColumnFamilyOptions& options);

// Copies of the options that a database is opened or a column family is made with, in which column
// families that need it have a new table factory with a filter policy. Nothing of the caller's is
// changed, and the block cache stays the caller's. Where WINNOW_LOG is 1, says on stderr which
// column families got one and which were left without. IsInterposing() must be true.
//
// `database` is what those lines call it: its path, or OpenDatabase() where that is not known.
const std::string& OpenDatabase();
Options WithPolicy(const Options& options, const std::string& database);
Families WithPolicy(const Families& families, const std::string& database);
ColumnFamilyOptions WithPolicy(const ColumnFamilyOptions& options, const std::string& family);

// To be called before a database's SetOptions: where it sets a prefix extractor, a policy that was
// added builds no filters from now on (interposed_policy.h). A flush or compaction that is under
// way may have asked for its filters before, and then has no prefix extractor either.
void BeforeSetOptions(ColumnFamilyHandle* family, const OptionTexts& options);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_ADD_POLICY_H_
