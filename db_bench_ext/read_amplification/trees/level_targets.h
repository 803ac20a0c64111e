// Target sizes of a tree's levels, and the base level of flushes: RocksDB's rules for leveled
// compaction with static and dynamic level sizes, in keys instead of bytes.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_LEVEL_TARGETS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_LEVEL_TARGETS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace winnow::bench {

struct LevelTargets {
  // Keys in the base level. Static: in level 1. Dynamic: an upper bound, as sizes are derived from
  // the largest level upwards. At least 1.
  uint64_t base_keys = 0;
  double multiplier = 10;  // ratio of the keys of a level to those of the level above; at least 1
  bool dynamic = false;    // RocksDB's level_compaction_dynamic_level_bytes
};

struct LevelSizes {
  size_t base_level = 1;  // output level of level 0's compaction
  // Targets by level; kNoLimit for level 0, the last level, and those above the base.
  std::vector<uint64_t> most_keys;
};

inline constexpr uint64_t kNoLimit = ~uint64_t{0};

// Returns the sizes for a tree with these numbers of keys per level; the number of levels, at least
// 2, includes empty ones.
//
// Dynamic sizes follow VersionStorageInfo::CalculateBaseBytes, which is unchanged from RocksDB 7.8
// to 9.10: the first compactions go to the last level, and a level above it comes into use once the
// base level would exceed base_keys. No level's target is below base_keys.
LevelSizes SizesOfLevels(const LevelTargets& targets, const std::vector<uint64_t>& keys);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_LEVEL_TARGETS_H_
