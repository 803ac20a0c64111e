// Selection of the files to compact while a tree grows: leveled compaction as a pure function of
// keys and their numbers.
//
// RocksDB's compaction picker uses file sizes, which include filters, and runs when a thread is
// free: two policies would end with different trees. Here only numbers of keys count, so that equal
// writes give equal trees with all filters. RocksDB executes the compactions.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_COMPACTION_PLAN_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_COMPACTION_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/trees/level_targets.h"

namespace winnow::bench {

struct TreeFile {
  std::string name;  // name in RocksDB's metadata
  std::string smallest;
  std::string largest;
  uint64_t keys = 0;
};

// Files by level. Level 0 is unordered; the files of other levels do not overlap and are in key
// order.
using LevelFiles = std::vector<std::vector<TreeFile>>;

struct Compaction {
  std::vector<std::string> files;  // names
  int output_level = 0;
};

inline constexpr uint64_t kNeverLevel0 = ~uint64_t{0};

// Holds the position of the next compaction for each level, as its files are compacted in key
// order, round-robin.
class CompactionPlan {
 public:
  explicit CompactionPlan(const LevelTargets& targets) : targets_(targets) {}

  // Returns the next compaction, or nullopt if every level is within its target. All of level 0 is
  // compacted when it has `level0_files` files, at least 1; with kNeverLevel0 it is left unchanged.
  std::optional<Compaction> Next(const LevelFiles& levels, uint64_t level0_files);

 private:
  std::optional<size_t> FullestLevel(const LevelFiles& levels, uint64_t level0_files,
                                     const LevelSizes& sizes) const;

  LevelTargets targets_;
  std::vector<std::string> turns_;  // largest key of each level's last compaction
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_COMPACTION_PLAN_H_
