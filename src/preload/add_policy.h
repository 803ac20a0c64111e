// Filter policy for column families that have none, when a database is opened and when a family is
// created later.

#ifndef WINNOW_SRC_PRELOAD_ADD_POLICY_H_
#define WINNOW_SRC_PRELOAD_ADD_POLICY_H_

#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Returns the reason why a column family with these options gets no policy, as the end of a
// sentence about the family; empty if it gets one. It gets one if it has block-based tables without
// a filter policy, and if a filter can't change what the program reads: its comparator must
// distinguish all keys that differ in a byte, and it must have no prefix extractor except
// winnow.range: with another one, a filter would make iterators skip keys after a prefix. The
// reason "has a filter policy" means that none is needed.
std::string ReasonToLeave(const ColumnFamilyOptions& options);

// Returns the reason of ReasonToLeave, or that the RocksDB in use would hide the SetOptions call
// which must remove the policy.
std::string ReasonNotToAdd(const ColumnFamilyOptions& options);

// Returns whether the options have RocksDB's own block-based tables, the only ones with filter
// policies.
bool HasBlockBasedTables(const ColumnFamilyOptions& options);

// Return copies of options for opening a database or creating a column family, in which families
// that need it have a new table factory with a filter policy. The caller's options are not changed,
// and its block cache is used. If WINNOW_LOG is on, messages on stderr name the column families of
// this database that got a policy; family_notes.h names the others. IsInterposing() must be true.
Options WithPolicy(const Options& options, const std::string& database);
Families WithPolicy(const Families& families, const std::string& database);
ColumnFamilyOptions WithPolicy(const ColumnFamilyOptions& options, const Names& families,
                               const std::string& database);

// Must be called before a database's SetOptions. If this sets a prefix extractor, an added policy
// builds no filters from now on (interposed_policy.h). A running flush or compaction may have asked
// for its filters before, and then has no prefix extractor either. Reports this in the database's
// LOG, and on stderr if WINNOW_LOG is on.
void BeforeSetOptions(DB& database, ColumnFamilyHandle* family, const OptionTexts& options);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_ADD_POLICY_H_
