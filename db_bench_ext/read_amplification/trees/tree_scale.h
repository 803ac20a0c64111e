// Sizes of flushes, files and levels for data of any size.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_SCALE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_SCALE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "db_bench_ext/read_amplification/trees/level_targets.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"

namespace winnow::bench {

// Number of keys below which a file is atypical of production databases: filters of a few thousand
// keys are of another kind, and their sizes are rounded up to blocks.
inline constexpr uint64_t kSmallFileKeys = 20'000;

// RocksDB's defaults: the maximum sizes that ScaleTree() selects for a flush and a compaction
// output file.
inline constexpr uint64_t kLargestFlush = 64 << 20;

inline uint64_t DivideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Returns the mean bytes per key and value, rounded down, at least 1.
uint64_t MeanBytes(uint64_t keys, uint64_t key_bytes, size_t value_size);

// Sets the sizes that are 0.
//
// A flush is a two-hundredth of the data, which gives three levels below level 0 at a multiplier of
// 10; at most RocksDB's 64 MB (from 12.8 GB on), and at least kSmallFileKeys keys as long as 50
// flushes remain, which give two levels; for less data, it is a fiftieth. A compaction output file
// has the size of a flush, and the base level that of the flushes that are compacted together.
TreeOptions ScaleTree(const TreeOptions& options, uint64_t keys, uint64_t key_bytes);

// Numbers of keys for sizes from ScaleTree().
uint64_t KeysPerFlush(const TreeOptions& scaled, uint64_t mean_bytes);
uint64_t KeysPerFile(const TreeOptions& scaled, uint64_t mean_bytes);  // compaction output file
LevelTargets TargetsOf(const TreeOptions& scaled, uint64_t mean_bytes);

// Returns a warning, with flags to avoid it, if most keys of the tree are on levels with a mean of
// fewer than kSmallFileKeys keys per file; otherwise an empty string.
std::string SmallFilesWarning(const std::vector<inspect::LevelShape>& tree, uint64_t mean_bytes);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_SCALE_H_
