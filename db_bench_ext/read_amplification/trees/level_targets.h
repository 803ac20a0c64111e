// How many keys each level of a tree may have, and which level flushes are merged into: RocksDB's
// rules for leveled compaction with static and with dynamic level sizes, in keys instead of bytes.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_LEVEL_TARGETS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_LEVEL_TARGETS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace winnow::bench {

struct LevelTargets {
  // Keys of the level that flushes are merged into. Static: of level 1. Dynamic: at most, as the
  // sizes are divided upwards from the largest level. At least 1.
  uint64_t base_keys = 0;
  double multiplier = 10;  // of the keys of one level to those of the level above; at least 1
  bool dynamic = false;    // as RocksDB's level_compaction_dynamic_level_bytes
};

struct LevelSizes {
  size_t base_level = 1;            // where level 0 is merged into
  std::vector<uint64_t> most_keys;  // by level; kNoLimit for 0, the last, and those above the base
};

inline constexpr uint64_t kNoLimit = ~uint64_t{0};

// Returns the sizes of a tree whose levels have so many keys; the number of levels, at least 2, is
// that of the tree, empty ones included.
//
// Dynamic sizes follow VersionStorageInfo::CalculateBaseBytes, which is the same in RocksDB 7.8 to
// 9.10: the last level takes the first merges, and a level above it comes into use once the base
// level would be larger than base_keys. No level's target is below base_keys.
LevelSizes SizesOfLevels(const LevelTargets& targets, const std::vector<uint64_t>& keys);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_LEVEL_TARGETS_H_
