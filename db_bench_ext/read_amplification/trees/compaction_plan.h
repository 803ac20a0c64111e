// Which files to merge next while a tree grows: leveled compaction as a pure function of keys and
// their numbers.
//
// RocksDB's own picker weighs files with their filters in them, and runs when a thread is free: two
// policies would end with two different trees. Here only numbers of keys count, so the same writes
// give the same tree whatever filter its files have. RocksDB does the merging.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_COMPACTION_PLAN_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_COMPACTION_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/trees/level_targets.h"

namespace winnow::bench {

struct TreeFile {
  std::string name;  // as RocksDB's metadata has it
  std::string smallest;
  std::string largest;
  uint64_t keys = 0;
};

// By level. Level 0 in any order; the files of other levels don't overlap and are in key order.
using LevelFiles = std::vector<std::vector<TreeFile>>;

struct Compaction {
  std::vector<std::string> files;  // names
  int output_level = 0;
};

inline constexpr uint64_t kNeverLevel0 = ~uint64_t{0};

// Holds, for each level, where the next merge goes on, as the files of a level take turns in key
// order.
class CompactionPlan {
 public:
  explicit CompactionPlan(const LevelTargets& targets) : targets_(targets) {}

  // Returns what to merge next; nothing when every level is within its target. Level 0 is merged
  // down, all of it, when it has `level0_files` files, at least 1; kNeverLevel0 leaves it as it is.
  std::optional<Compaction> Next(const LevelFiles& levels, uint64_t level0_files);

 private:
  std::optional<size_t> FullestLevel(const LevelFiles& levels, uint64_t level0_files,
                                     const LevelSizes& sizes) const;

  LevelTargets targets_;
  std::vector<std::string> turns_;  // by level: the largest key that was merged down last
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_COMPACTION_PLAN_H_
