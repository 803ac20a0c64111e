#include "src/rocksdb/context.h"

#include <algorithm>
#include <limits>

#include "src/core/sizing.h"

namespace winnow::plugin {
namespace {

constexpr int kFlush = -1;
// Bloom before the greatest number means always, as RocksDB has it from 8.7 on.
constexpr int kLast = std::numeric_limits<int>::max() - 1;

// The level that bloom_before_level is compared with, as RocksDB's Ribbon policy has it.
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
  return {context.compaction_style, context.level_at_creation, context.reason};
}

FilterOptions FactsToOptions(const PolicyOptions& policy, const BuildFacts& facts) noexcept {
  FilterOptions options;
  options.bits_per_key = policy.bits_per_key;
  options.ribbon_min_keys = policy.ribbon_min_keys;
  options.level = std::clamp(facts.level, core::kMinLevel, core::kMaxLevel);
  // The choice by level is made here, where flushes are known.
  options.bloom_before_level = core::kMinLevel;
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
