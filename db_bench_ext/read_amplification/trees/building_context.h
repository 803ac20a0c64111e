// What RocksDB tells a policy of the file that it is to build a filter for.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_BUILDING_CONTEXT_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_BUILDING_CONTEXT_H_

#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

namespace winnow::bench {

// A file of leveled compaction. `table` and `logger`, which may be null, outlive the context.
rocksdb::FilterBuildingContext BuildingContext(const rocksdb::BlockBasedTableOptions& table,
                                               int level, int num_levels, bool bottommost,
                                               rocksdb::Logger* logger);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_BUILDING_CONTEXT_H_
