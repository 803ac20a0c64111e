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

// Files with fewer keys than this are not what databases in use have: filters of a few thousand
// keys are of another kind, and their sizes are rounded up to blocks.
inline constexpr uint64_t kSmallFileKeys = 20'000;

// RocksDB's defaults: the largest sizes that ScaleTree chooses for a flush and a merged file.
inline constexpr uint64_t kLargestFlush = 64 << 20;

inline uint64_t DivideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Bytes of a key and its value, rounded down, at least 1.
uint64_t MeanBytes(uint64_t keys, uint64_t key_bytes, size_t value_size);

// The bytes of a block cache that is that share of the keys and values. At least 64 KiB: RocksDB's
// would hold next to nothing below.
uint64_t CacheOfShare(double share, uint64_t data_bytes);

// Fills in the sizes that are 0.
//
// A flush is a two-hundredth of the data, which makes three levels below level 0 at a multiplier of
// 10, up to RocksDB's 64 MB (from 12.8 GB on), and not below kSmallFileKeys keys as long as 50
// flushes, which make two levels, are left; of less data it is a fiftieth. A merged file is as
// large as a flush, and the level that flushes are merged into as the flushes that are merged at a
// time.
TreeOptions ScaleTree(const TreeOptions& options, uint64_t keys, uint64_t key_bytes);

// Numbers of keys for sizes as ScaleTree gives them.
uint64_t KeysPerFlush(const TreeOptions& scaled, uint64_t mean_bytes);
uint64_t KeysPerFile(const TreeOptions& scaled, uint64_t mean_bytes);  // a merged one
LevelTargets TargetsOf(const TreeOptions& scaled, uint64_t mean_bytes);

// Returns what to know of a tree most of whose keys lie on levels with files of fewer than
// kSmallFileKeys keys on average, and the flags that give others, as a sentence; empty for another
// tree.
std::string SmallFilesWarning(const std::vector<inspect::LevelShape>& tree, uint64_t mean_bytes);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_SCALE_H_
