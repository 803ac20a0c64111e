// What decides the shape and the cost of a tree, for the reports.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_SETTINGS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_SETTINGS_H_

#include "db_bench_ext/read_amplification/measured/readamp_results.h"
#include "db_bench_ext/read_amplification/trees/tree.h"

namespace winnow::bench {

// By the names of the flags, sizes in bytes. `options` as ScaleTree gives them.
inspect::Settings SettingsOf(const TreeOptions& options);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_SETTINGS_H_
