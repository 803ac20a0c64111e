// Planned growth of a tree: flushes and compactions occur at fixed numbers of keys and one after
// the other, so that the tree does not depend on time, threads or filters.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_PLANNED_GROWTH_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_PLANNED_GROWTH_H_

#include <absl/status/status.h>
#include <rocksdb/db.h>

#include <cstdint>

#include "db_bench_ext/read_amplification/keys/key_set.h"
#include "db_bench_ext/read_amplification/keys/write_sequence.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"
#include "db_bench_ext/read_amplification/trees/tree_writer.h"

namespace winnow::bench {

// Returns the number of files at which level 0 is compacted after flush `flush` of `flushes`,
// counted from 1, such that the last `level0_files` flushes stay on it.
uint64_t Level0Trigger(uint64_t flush, uint64_t flushes, uint64_t trigger, uint64_t level0_files);

// Grows the tree in a new database opened with RestingOptions(). Flushes before a full compaction
// of the sequence, and at its end, are planned as for a separate sequence.
absl::Status GrowByPlan(const KeySet& keys, const WriteSequence& writes, const TreeOptions& options,
                        rocksdb::DB* db, GrowthProgress progress,
                        const AfterWrites& after = nullptr);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_PLANNED_GROWTH_H_
