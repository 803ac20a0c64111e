// Growing a tree by a plan of our own: flushes and merges come at fixed numbers of keys and one
// after the other, so the tree does not depend on time, threads or the filter.

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

// When level 0 is merged down after flush `flush` of `flushes`, counted from 1: the number of its
// files at which that is done, so that the last `level0_files` of all flushes stay on it.
uint64_t Level0Trigger(uint64_t flush, uint64_t flushes, uint64_t trigger, uint64_t level0_files);

// Into a new database that is open with RestingOptions. Before a full compaction of the sequence,
// and at the end unless that is one, come flushes as for a sequence of its own.
absl::Status GrowByPlan(const KeySet& keys, const WriteSequence& writes, const TreeOptions& options,
                        rocksdb::DB* db, GrowthProgress progress,
                        const AfterWrites& after = nullptr);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_PLANNED_GROWTH_H_
