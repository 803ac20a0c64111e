// Growing and opening trees in RocksDB databases.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/db.h>
#include <rocksdb/statistics.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/key_set.h"
#include "db_bench_ext/read_amplification/keys/write_sequence.h"
#include "db_bench_ext/read_amplification/trees/policies.h"
#include "db_bench_ext/read_amplification/trees/tree_files.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"
#include "db_bench_ext/read_amplification/trees/tree_scale.h"
#include "db_bench_ext/read_amplification/trees/tree_writer.h"

namespace winnow::bench {

// Writes the keys of the sequence into a new database in the folder `path`, which must be empty or
// not exist, and grows the tree by options.growth (planned_growth.h, rocksdb_growth.h). `options`
// must be from ScaleTree(). `after` may read the tree meanwhile.
absl::Status GrowTree(const KeySet& keys, const WriteSequence& writes, const TreeOptions& options,
                      const Policy& policy, const std::string& path, GrowthProgress progress,
                      const AfterWrites& after = nullptr);

// Opens a grown tree with an empty block cache and without compactions. Events are counted in
// `statistics` if not null.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenTree(
    const TreeOptions& options, const Policy& policy, const std::string& path,
    std::shared_ptr<rocksdb::Statistics> statistics = nullptr);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_H_
