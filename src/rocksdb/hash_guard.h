// The check that HashKey is the hash of the format (src/core/FORMAT.md): another xxHash has
// another one, by which keys that are in a filter would be denied.

#ifndef WINNOW_SRC_ROCKSDB_HASH_GUARD_H_
#define WINNOW_SRC_ROCKSDB_HASH_GUARD_H_

#include <string>

namespace winnow::plugin {

// Why this build may neither build nor ask filters of ours, or empty; the string lives as long as
// the library. Hashes the keys of the format's page at the first call, which says on stderr what
// is wrong. Safe from any thread.
const std::string& HashProblem();

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_HASH_GUARD_H_
