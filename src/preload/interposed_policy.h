// The policy that a program gets in the place of a built-in one. It reads Winnow's filters and
// RocksDB's, and builds what WINNOW_POLICY says: Winnow's, RocksDB's, or just what the program
// asked for, by the program's own policy.
//
// It holds the built-in policy and is that policy in all that RocksDB writes down: name, id,
// compatibility name. So a program that doesn't know of Winnow finds in OPTIONS files what it asked
// for. Only the filters' bytes and the database's LOG show Winnow.
//
// IsInstanceOf() says of RocksDB's nicknames ("rocksdb.BloomFilter", "rocksdb.RibbonFilter") what
// the built-in object says. It is false for the names of RocksDB's classes ("bloomfilter",
// "ribbonfilter", "rocksdb.internal.*"): RocksDB's CheckedCast casts statically where it is true,
// and finds the object that is of the class by Inner().

#ifndef WINNOW_SRC_PRELOAD_INTERPOSED_POLICY_H_
#define WINNOW_SRC_PRELOAD_INTERPOSED_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <memory>

namespace winnow::plugin {
struct KnownFiles;
}  // namespace winnow::plugin

namespace winnow::preload {

// The interposed policy of a built-in Bloom or Ribbon policy, which it then owns; the same object
// again if it is anything else, or interposed already, or nothing is to be interposed. Null is
// allowed. Where WINNOW_POLICY is malformed, the policy refuses to be validated, by which opening a
// database fails, and builds by the nearest options where RocksDB does not ask. Safe from any
// thread, as are all functions of the policy.
const ROCKSDB_NAMESPACE::FilterPolicy* Interpose(const ROCKSDB_NAMESPACE::FilterPolicy* stock);
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> Interpose(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> stock);

// A policy for column families that have none, which builds filters unless WINNOW_POLICY is "read".
// In OPTIONS files it stays "nullptr", which is what the program's own options say: so its own
// checks of them hold, and a RocksDB without Winnow goes on without a policy instead of starting to
// build its own filters. Its name in SST files' properties is that of the built-in Bloom policy.
// IsInterposing() must be true.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewAddedPolicy();

// Returns whether the policy says that it is a built-in one that builds: an interposed one does,
// and so does what the C API wraps around one.
bool IsNamedAsBuiltin(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Returns what an interposed policy that builds Winnow's filters knows of its files, for a
// listener; null of any other.
std::shared_ptr<plugin::KnownFiles> KnownByInterposed(
    const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Returns whether the policy is a built-in one in whose place an interposed one should be: it was
// made where no hook is, as within a RocksDB that binds its own calls. IsInterposing() must be
// true.
bool WasMissed(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// To be called before a prefix extractor is set for a column family that has this policy: one that
// was added for it builds no filters any more, and its readers answer "may match", since prefixes
// in filters, which older files may have, would change what its iterators see. True if this call
// changed that. Null and policies of others are allowed.
bool StopIfAdded(const ROCKSDB_NAMESPACE::FilterPolicy* policy);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_INTERPOSED_POLICY_H_
