// Which filter to build for a file, from what RocksDB tells about it.

#ifndef WINNOW_SRC_ROCKSDB_TREES_CONTEXT_H_
#define WINNOW_SRC_ROCKSDB_TREES_CONTEXT_H_

#include <rocksdb/advanced_options.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/types.h>

#include <optional>

#include "winnow/options.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// "by_level" is "auto": in version 1.0 it went by levels alone.
constexpr LevelPlan PlanInForce(LevelPlan plan) noexcept {
  return plan == LevelPlan::kByLevel ? LevelPlan::kAuto : plan;
}

// True if Winnow's filters of the policy depend on the other files of their trees, or on what
// their scans ask.
inline bool GoesByTrees(const PolicyOptions& policy) noexcept {
  return policy.level_plan != LevelPlan::kUniform || policy.filter_memory > 0 ||
         policy.range_bits > 0;
}

// The facts that decide about a file's filter.
struct BuildFacts {
  ROCKSDB_NAMESPACE::CompactionStyle compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  int level = -1;  // that the file is written to; -1 unknown, as for SstFileWriter
  ROCKSDB_NAMESPACE::TableFileCreationReason reason =
      ROCKSDB_NAMESPACE::TableFileCreationReason::kMisc;
  int levels = -1;             // that the tree may have; -1 unknown
  bool is_bottommost = false;  // nothing lies below in the keys of its flush or compaction
};

// Facts known of the tree that the file belongs to (known_trees.h).
struct KnownTree {
  int depth = -1;                          // the last level that has files; -1 unknown
  int base = -1;                           // the first one below level 0 that has; -1 unknown
  double size_ratio = 0;                   // of a level to the one above; 0 unknown
  std::optional<bool> has_dynamic_levels;  // level_compaction_dynamic_level_bytes
  bool last_level_has_filters = true;      // not optimize_filters_for_hits
  bool is_bytewise = true;                 // keys are in the order of their bytes
  uint64_t id = 0;                         // in the notes of its files (known_trees.h); 0: none
};

// Returns what is known of the tree once a file on this level was seen.
KnownTree WithLevel(KnownTree known, int level) noexcept;

// The same once the file that is being built was seen. If a compaction writes to a level below 0,
// and something lies below its keys, there is a next level.
KnownTree WithFile(KnownTree known, const BuildFacts& facts) noexcept;

BuildFacts FactsOf(const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

// FilterOptions::levels_below of the file; -1 if that is not known. `next` is the first level below
// the file's that has keys in the file's range; -1: none is known. All levels of a tree have one
// size ratio. But if levels are not dynamic, the last one may be filled to any part of its size, so
// the step to it counts as half of one. A file of level 0 is a run of its own, and counts as half a
// step above the base level. In universal compaction the sizes of runs are not known.
double LevelsBelow(const BuildFacts& facts, const KnownTree& known, int next) noexcept;

// `next` of LevelsBelow if the file's range is not known: the next level that has files.
int NextLevel(const BuildFacts& facts, const KnownTree& known) noexcept;

// FactsToOptions (below) with the level plan: its absent_share, size ratio and levels_below.
FilterOptions PlannedOptions(const PolicyOptions& policy, const BuildFacts& facts,
                             const KnownTree& known, int next) noexcept;

// The same for a file of a leveled tree, as if it were written anew on its level. `below`: the
// first level below with keys in its range, where a file that lies over nothing counts as on the
// last level; -1: there is none.
FilterOptions PlannedWhereItLies(const PolicyOptions& policy, const KnownTree& known, int levels,
                                 int level, int below) noexcept;

// The options of the file's filter: a pure function. Files on levels before bloom_before_level get
// a Bloom filter; for the others the number of keys decides. Levels count as in RocksDB's Ribbon
// policy: a flush is level -1; an unknown level and FIFO compaction count as the last level.
FilterOptions FactsToOptions(const PolicyOptions& policy, const BuildFacts& facts) noexcept;

// FactsToOptions of FactsOf.
FilterOptions ContextToOptions(const PolicyOptions& policy,
                               const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_CONTEXT_H_
