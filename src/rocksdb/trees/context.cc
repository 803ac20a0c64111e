#include "src/rocksdb/trees/context.h"

#include <algorithm>
#include <limits>

namespace winnow::plugin {
namespace {

constexpr int kFlush = -1;
// The greatest number means Bloom filters on all levels, as in RocksDB from 8.7 on.
constexpr int kLast = std::numeric_limits<int>::max() - 1;

// Returns the level that bloom_before_level is compared with, by the rules of RocksDB's Ribbon
// policy.
int LevelForChoice(const BuildFacts& facts) noexcept {
  const bool has_levels = facts.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel ||
                          facts.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
  if (!has_levels) {
    return kLast;
  }
  if (facts.reason == ROCKSDB_NAMESPACE::TableFileCreationReason::kFlush) {
    return kFlush;
  }
  return facts.level < 0 ? kLast : facts.level;
}

}  // namespace

BuildFacts FactsOf(const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept {
  return {context.compaction_style, context.level_at_creation, context.reason, context.num_levels,
          context.is_bottommost};
}

KnownTree WithLevel(KnownTree known, int level) noexcept {
  if (level < 1) return known;
  known.depth = std::max(known.depth, level);
  known.base = known.base < 0 ? level : std::min(known.base, level);
  return known;
}

KnownTree WithFile(KnownTree known, const BuildFacts& facts) noexcept {
  if (facts.level < 1 || facts.compaction_style != ROCKSDB_NAMESPACE::kCompactionStyleLevel) {
    return known;
  }
  known = WithLevel(known, facts.level);
  const int next = facts.level + 1;
  if (!facts.is_bottommost && (facts.levels < 0 || next < facts.levels)) {
    known.depth = std::max(known.depth, next);
  }
  return known;
}

double LevelsBelow(const BuildFacts& facts, const KnownTree& known, int next) noexcept {
  constexpr double kUnknown = -1;
  const bool is_leveled = facts.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  if (facts.level < 0 || !is_leveled || known.depth < 0) return kUnknown;
  double below = 0;
  if (!facts.is_bottommost) {
    if (next < 0) return kUnknown;
    const int depth = std::max(known.depth, next);
    // The file will stay above the first level that has keys in its range, until it is merged into
    // this level.
    below = depth - next + 1;
    if (facts.level == 0 && next <= known.base) below = depth - known.base + 0.5;
    const bool is_dynamic =
        known.has_dynamic_levels.value_or(known.base > 1 && depth == facts.levels - 1);
    if (!is_dynamic) below -= 0.5;
    below = std::max(below, 0.5);
  }
  if (!known.last_level_has_filters) below = std::max(0.0, below - 1);
  return below;
}

int NextLevel(const BuildFacts& facts, const KnownTree& known) noexcept {
  return facts.level > 0 ? facts.level + 1 : known.base;
}

FilterOptions PlannedOptions(const PolicyOptions& policy, const BuildFacts& facts,
                             const KnownTree& known, int next) noexcept {
  FilterOptions options = FactsToOptions(policy, facts);
  options.level_plan = policy.level_plan;
  options.absent_share = AbsentShareInForce(policy);
  if (known.size_ratio > 0) {
    options.level_size_ratio = kLevelSizeRatioOption.Nearest(known.size_ratio);
  }
  options.levels_below = LevelsBelow(facts, known, next);
  return options;
}

FilterOptions FactsToOptions(const PolicyOptions& policy, const BuildFacts& facts) noexcept {
  FilterOptions options;
  options.bits_per_key = policy.bits_per_key;
  options.ribbon_min_keys = policy.ribbon_min_keys;
  options.level = kLevelOption.Nearest(facts.level);
  // The level decides here, because only this function recognizes flushes.
  options.bloom_before_level = kBloomBeforeLevelOption.least;
  if (LevelForChoice(facts) < policy.bloom_before_level) {
    options.kind = FilterKind::kBloom;
  }
  return options;
}

FilterOptions ContextToOptions(const PolicyOptions& policy,
                               const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept {
  return FactsToOptions(policy, FactsOf(context));
}

}  // namespace winnow::plugin
