// A filter policy for the column families that have none, of a database that is opened and when one
// is made later.

#ifndef WINNOW_SRC_PRELOAD_ADD_POLICY_H_
#define WINNOW_SRC_PRELOAD_ADD_POLICY_H_

#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Why a column family with these options gets no policy from us, as the end of a sentence about it;
// empty if it gets one. It gets one if it has block-based tables without a filter policy, and if a
// filter can't change what the program reads: its comparator must tell apart all keys that differ
// in a byte, and it must have no prefix extractor but winnow.range: by another one a filter would
// make iterators skip what lies behind a prefix. "has a filter policy" is said of those that need
// none.
std::string ReasonToLeave(const ColumnFamilyOptions& options);

// The same, and where the RocksDB in use does not let us see what would take a policy away again.
std::string ReasonNotToAdd(const ColumnFamilyOptions& options);

// Returns whether they have RocksDB's own block-based tables, the only ones with filter policies.
bool HasBlockBasedTables(const ColumnFamilyOptions& options);

// Copies of the options that a database is opened or a column family is made with, in which column
// families that need it have a new table factory with a filter policy. Nothing of the caller's is
// changed, and the block cache stays the caller's. Where WINNOW_LOG is on, says on stderr which
// column families of this database got one; family_notes.h says which did not. IsInterposing() must
// be true.
Options WithPolicy(const Options& options, const std::string& database);
Families WithPolicy(const Families& families, const std::string& database);
ColumnFamilyOptions WithPolicy(const ColumnFamilyOptions& options, const std::string& family,
                               const std::string& database);

// To be called before a database's SetOptions: where it sets a prefix extractor, a policy that was
// added builds no filters from now on (interposed_policy.h). A flush or compaction that is under
// way may have asked for its filters before, and then has no prefix extractor either. That is said
// in the database's LOG, and on stderr where WINNOW_LOG is on.
void BeforeSetOptions(DB& database, ColumnFamilyHandle* family, const OptionTexts& options);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_ADD_POLICY_H_
