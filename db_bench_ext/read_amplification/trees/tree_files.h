// Files of a tree, from RocksDB's metadata.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_FILES_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_FILES_H_

#include <rocksdb/db.h>

#include "db_bench_ext/read_amplification/trees/compaction_plan.h"

namespace winnow::bench {

// Returns the files of an open tree by level.
LevelFiles FilesByLevel(rocksdb::DB* db);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_FILES_H_
