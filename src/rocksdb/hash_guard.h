// Check that HashKey computes the hash of the format (src/core/FORMAT.md). A different hash would
// make filters deny keys that they contain.

#ifndef WINNOW_SRC_ROCKSDB_HASH_GUARD_H_
#define WINNOW_SRC_ROCKSDB_HASH_GUARD_H_

#include <string>

namespace winnow::plugin {

// Returns the reason why this build may neither build nor read Winnow's filters, or an empty
// string. The string lives as long as the library. The first call hashes test keys of the format's
// page and reports an error on stderr. Thread-safe.
const std::string& HashProblem();

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_HASH_GUARD_H_
