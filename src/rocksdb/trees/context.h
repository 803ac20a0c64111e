// Filter options of a file, from the facts that RocksDB tells about it.

#ifndef WINNOW_SRC_ROCKSDB_TREES_CONTEXT_H_
#define WINNOW_SRC_ROCKSDB_TREES_CONTEXT_H_

#include <rocksdb/advanced_options.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/types.h>

#include <optional>

#include "winnow/options.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Returns the plan that is used: kByLevel and kLearned mean kAuto, which goes by the live files and
// by lookups.
constexpr LevelPlan PlanInForce(LevelPlan plan) noexcept {
  return plan == LevelPlan::kUniform ? plan : LevelPlan::kAuto;
}

// Returns FilterOptions::absent_share: only 0, with which the last level has no filters, has an
// effect.
constexpr double AbsentShareInForce(const PolicyOptions& policy) noexcept {
  return policy.absent_share == 0 ? 0 : 1;
}

// Returns whether the policy builds filters that depend on the other files of their trees, or on
// scans.
inline bool GoesByTrees(const PolicyOptions& policy) noexcept {
  return policy.build == Build::kWinnow && (policy.level_plan != LevelPlan::kUniform ||
                                            policy.filter_memory > 0 || policy.range_bits > 0);
}

// Facts that decide about a file's filter.
struct BuildFacts {
  ROCKSDB_NAMESPACE::CompactionStyle compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  int level = -1;  // level of the file; -1 if unknown, as for SstFileWriter
  ROCKSDB_NAMESPACE::TableFileCreationReason reason =
      ROCKSDB_NAMESPACE::TableFileCreationReason::kMisc;
  int levels = -1;             // maximum number of levels of the tree; -1 if unknown
  bool is_bottommost = false;  // true if nothing lies below the keys of its flush or compaction
};

// Facts known of the file's tree (known_trees.h).
struct KnownTree {
  int depth = -1;         // last level that has files; -1 if unknown
  int base = -1;          // first level below level 0 that has files; -1 if unknown
  double size_ratio = 0;  // ratio of a level to the one above; 0 if unknown
  std::optional<bool> has_dynamic_levels;  // level_compaction_dynamic_level_bytes
  bool last_level_has_filters = true;      // false with optimize_filters_for_hits
  bool is_bytewise = true;                 // true if keys are in bytewise order
  uint64_t id = 0;  // id in the notes of its files (known_trees.h); 0 if none
};

// Returns the facts of the tree after a file on this level was seen.
KnownTree WithLevel(KnownTree known, int level) noexcept;

// Returns the facts of the tree after the file that is being built. If a compaction writes to a
// level below 0, and something lies below its keys, there is a next level.
KnownTree WithFile(KnownTree known, const BuildFacts& facts) noexcept;

inline bool IsLeveled(const BuildFacts& facts) noexcept {
  return facts.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel;
}

BuildFacts FactsOf(const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

// Returns FilterOptions::levels_below of the file; -1 if unknown. `next` is the first level below
// the file's that has keys in the file's range; -1 if unknown. All levels of a tree have one size
// ratio. But if levels are not dynamic, the last one may be filled to any part of its size, so the
// step to it counts as half of one. A file of level 0 is a run of its own, and counts as half a
// step above the base level. In universal compaction, the sizes of runs are unknown.
double LevelsBelow(const BuildFacts& facts, const KnownTree& known, int next) noexcept;

// Returns `next` of LevelsBelow if the file's range is unknown: the next level that has files.
int NextLevel(const BuildFacts& facts, const KnownTree& known) noexcept;

// Returns FactsToOptions (below) with the level plan: size ratio, levels_below, and whether the
// last level has filters: with absent_share=0, it has none.
FilterOptions PlannedOptions(const PolicyOptions& policy, const BuildFacts& facts,
                             const KnownTree& known, int next) noexcept;

// Returns the options of the file's filter. A pure function. Files on levels before
// bloom_before_level get a Bloom filter; for the others, the number of keys decides. Levels count
// as in RocksDB's Ribbon policy: a flush is level -1; an unknown level and FIFO compaction count as
// the last level.
FilterOptions FactsToOptions(const PolicyOptions& policy, const BuildFacts& facts) noexcept;

// Returns FactsToOptions of FactsOf.
FilterOptions ContextToOptions(const PolicyOptions& policy,
                               const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_CONTEXT_H_
