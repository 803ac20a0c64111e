// Interposed policy: a program gets it in place of a built-in one. It reads Winnow's filters and
// RocksDB's, and builds the filters of WINNOW_POLICY: Winnow's, RocksDB's, or just those that the
// program asked for, by the program's own policy.
//
// The interposed policy owns the built-in policy and looks like it in all that RocksDB writes:
// name, id, compatibility name. So a program that does not know Winnow finds in OPTIONS files what
// it asked for. Only the filters' bytes and the database's LOG show Winnow.
//
// For RocksDB's nicknames ("rocksdb.BloomFilter", "rocksdb.RibbonFilter"), IsInstanceOf() returns
// the built-in object's answer. It returns false for the names of RocksDB's classes ("bloomfilter",
// "ribbonfilter", "rocksdb.internal.*"): RocksDB's CheckedCast casts statically if it is true, and
// otherwise finds the object of the class by Inner().

#ifndef WINNOW_SRC_PRELOAD_INTERPOSED_POLICY_H_
#define WINNOW_SRC_PRELOAD_INTERPOSED_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <memory>

namespace winnow::plugin {
class Engine;
}  // namespace winnow::plugin

namespace winnow::preload {

// Returns the interposed policy of a built-in Bloom or Ribbon policy, which it then owns. Returns
// `stock` itself if it is another policy, or already interposed, or if nothing is to be interposed.
// `stock` may be null. If WINNOW_POLICY is malformed, the policy fails validation, which makes
// opening a database fail, and builds by the nearest valid options if RocksDB does not validate.
// Thread-safe, as are all functions of the policy.
const ROCKSDB_NAMESPACE::FilterPolicy* Interpose(const ROCKSDB_NAMESPACE::FilterPolicy* stock);
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> Interpose(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> stock);

// Returns a policy for column families that have none, which builds filters unless WINNOW_POLICY is
// "read". OPTIONS files show it as "nullptr", which is what the program's own options say: so the
// program's checks of them succeed, and a RocksDB without Winnow continues without a policy instead
// of building its own filters. Its name in SST files' properties is that of the built-in Bloom
// policy. IsInterposing() must be true.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewAddedPolicy();

// Returns whether the policy has the name of a built-in one that builds filters, as an interposed
// policy and the C API's wrapper have.
bool IsNamedAsBuiltin(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Returns the interposed policy behind a wrapper that passes calls of Name() on to it, as RocksDB's
// C API makes for each built-in policy, and with it programs in Go, Rust, C# and C. Returns the
// policy itself if it is interposed, and null if there is none. RocksDB calls no other functions of
// FilterPolicy through the wrapper than those that make builders and readers: so ValidateOptions()
// must be called for it.
const ROCKSDB_NAMESPACE::FilterPolicy* InterposedBehind(
    const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Returns the engine of Winnow's own policy, or of an interposed one, also behind a wrapper; null
// for any other policy.
plugin::Engine* EngineBehind(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Returns whether the policy is a built-in one, or a wrapper of one, that should have been
// interposed: it was made where there is no hook, such as within a RocksDB that binds its own
// calls. IsInterposing() must be true.
bool WasMissed(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Must be called before a prefix extractor is set for a column family with this policy. A policy
// that was added for it builds no filters any more, and its readers answer "may match", since
// prefixes in filters, which older files may have, would change what its iterators return. Returns
// true if this call changed that. Null and other policies are allowed.
bool StopIfAdded(const ROCKSDB_NAMESPACE::FilterPolicy* policy);

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_INTERPOSED_POLICY_H_
