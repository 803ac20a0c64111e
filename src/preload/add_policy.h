// A filter policy for the column families of a database that have none, when it is opened. One that
// the program makes later gets a policy when the database is opened the next time.

#ifndef WINNOW_SRC_PRELOAD_ADD_POLICY_H_
#define WINNOW_SRC_PRELOAD_ADD_POLICY_H_

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <string>
#include <vector>

namespace winnow::preload {

// Why a column family with these options gets no policy from us, as the end of a sentence about it;
// empty if it gets one. It gets one if it has block-based tables without a filter policy, and if a
// filter can't change what the program reads: its comparator must tell apart all keys that differ
// in a byte, and it must have no prefix extractor, by which a filter would make iterators skip what
// lies behind a prefix. "has a filter policy" is said of those that need none.
std::string ReasonToLeave(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& options);

// Copies of the options that a database is opened with, in which column families that need it have
// a new table factory with a filter policy. Nothing of the caller's is changed, and the block cache
// stays the caller's. Where WINNOW_LOG is 1, says on stderr which column families got one and which
// were left without. Ends the program if WINNOW_POLICY is malformed; IsInterposing() must be true.
ROCKSDB_NAMESPACE::Options WithPolicy(const ROCKSDB_NAMESPACE::Options& options,
                                      const std::string& database);
std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> WithPolicy(
    const std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor>& families,
    const std::string& database);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_ADD_POLICY_H_
