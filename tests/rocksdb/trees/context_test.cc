#include "src/rocksdb/trees/context.h"

#include <gtest/gtest.h>
#include <rocksdb/table.h>

#include <optional>

namespace winnow::plugin {
namespace context_test {

using ROCKSDB_NAMESPACE::CompactionStyle;
using ROCKSDB_NAMESPACE::kCompactionStyleFIFO;
using ROCKSDB_NAMESPACE::kCompactionStyleLevel;
using ROCKSDB_NAMESPACE::kCompactionStyleNone;
using ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
using ROCKSDB_NAMESPACE::TableFileCreationReason;

constexpr auto kFlush = TableFileCreationReason::kFlush;
constexpr auto kCompaction = TableFileCreationReason::kCompaction;
constexpr auto kRecovery = TableFileCreationReason::kRecovery;
constexpr auto kMisc = TableFileCreationReason::kMisc;

struct Case {
  const char* name;
  int bloom_before_level;
  CompactionStyle style;
  TableFileCreationReason reason;
  int level;
  bool bloom;
};

// Choices of RibbonFilterPolicy::GetBuilderWithContext in RocksDB 8.7 and later, case by case.
const Case kCases[] = {
    {"flush, default", 0, kCompactionStyleLevel, kFlush, 0, true},
    {"flush, never Bloom", -1, kCompactionStyleLevel, kFlush, 0, false},
    {"flush, universal", 0, kCompactionStyleUniversal, kFlush, 0, true},
    {"flush, FIFO", 0, kCompactionStyleFIFO, kFlush, 0, false},
    {"flush, no style", 0, kCompactionStyleNone, kFlush, 0, false},
    {"flush, FIFO, Bloom before 100", 100, kCompactionStyleFIFO, kFlush, 0, false},
    {"compaction in level 0, default", 0, kCompactionStyleLevel, kCompaction, 0, false},
    {"compaction in level 0, before 1", 1, kCompactionStyleLevel, kCompaction, 0, true},
    {"compaction to 1, before 1", 1, kCompactionStyleLevel, kCompaction, 1, false},
    {"compaction to 4, before 5", 5, kCompactionStyleLevel, kCompaction, 4, true},
    {"compaction to 5, before 5", 5, kCompactionStyleLevel, kCompaction, 5, false},
    {"compaction to 5, universal, before 6", 6, kCompactionStyleUniversal, kCompaction, 5, true},
    {"recovery to 0, default", 0, kCompactionStyleLevel, kRecovery, 0, false},
    {"recovery to 0, before 1", 1, kCompactionStyleLevel, kRecovery, 0, true},
    {"external file", 0, kCompactionStyleLevel, kMisc, -1, false},
    {"flush, FIFO, always Bloom", 2147483647, kCompactionStyleFIFO, kFlush, 0, true},
    {"external file, almost always Bloom", 2147483646, kCompactionStyleLevel, kMisc, -1, false},
    {"external file, always Bloom", 2147483647, kCompactionStyleLevel, kMisc, -1, true},
    {"external file, before 100", 100, kCompactionStyleLevel, kMisc, -1, false},
    {"unknown level, universal, before 100", 100, kCompactionStyleUniversal, kMisc, -1, false},
    {"flush of an unknown level", 0, kCompactionStyleLevel, kFlush, -1, true},
};

TEST(FactsToOptions, ChoosesBloomAsRocksDBDoes) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    PolicyOptions policy;
    policy.bits_per_key = 12.5;
    policy.ribbon_min_keys = 777;
    policy.bloom_before_level = one.bloom_before_level;
    const FilterOptions options = FactsToOptions(policy, {one.style, one.level, one.reason});
    EXPECT_EQ(options.kind, one.bloom ? std::optional(FilterKind::kBloom) : std::nullopt);
    // The number of keys alone decides between Bloom and Ribbon then.
    if (!one.bloom) {
      EXPECT_EQ(options.bloom_before_level, -1);
    }
    EXPECT_EQ(options.bits_per_key, 12.5);
    EXPECT_EQ(options.ribbon_min_keys, 777u);
    EXPECT_EQ(options.level, one.level);
    EXPECT_EQ(CheckOptions(options), "");
  }
}

TEST(FactsToOptions, KeepsLevelsInTheRangeOfTheFormat) {
  EXPECT_EQ(FactsToOptions({}, {kCompactionStyleLevel, 1000, kCompaction}).level, 127);
  EXPECT_EQ(FactsToOptions({}, {kCompactionStyleLevel, -7, kCompaction}).level, -1);
}

TEST(ContextToOptions, TakesTheFactsFromTheContext) {
  const ROCKSDB_NAMESPACE::BlockBasedTableOptions table_options;
  ROCKSDB_NAMESPACE::FilterBuildingContext context(table_options);
  context.compaction_style = kCompactionStyleUniversal;
  context.level_at_creation = 3;
  context.reason = kCompaction;
  PolicyOptions policy;
  policy.bloom_before_level = 4;
  EXPECT_EQ(ContextToOptions(policy, context).kind, FilterKind::kBloom);
  EXPECT_EQ(ContextToOptions(policy, context).level, 3);
  policy.bloom_before_level = 3;
  EXPECT_EQ(ContextToOptions(policy, context).kind, std::nullopt);
  context.reason = kFlush;
  EXPECT_EQ(ContextToOptions(policy, context).kind, FilterKind::kBloom);
  context.compaction_style = kCompactionStyleFIFO;
  EXPECT_EQ(ContextToOptions(policy, context).kind, std::nullopt);
}

// ---- Places in the tree

struct PlaceCase {
  const char* name;
  int level;
  bool is_bottommost;
  int depth;
  int base;
  std::optional<bool> is_dynamic;
  int next;
  double below;
};

const PlaceCase kPlaces[] = {
    {"the last level", 6, true, 6, 4, true, -1, 0},
    {"a level above the last", 5, false, 6, 4, true, 6, 1},
    {"the base level", 4, false, 6, 4, true, 5, 2},
    {"a flush that is merged into the base level", 0, false, 6, 4, true, 4, 2.5},
    {"a flush that passes the base level", 0, false, 6, 4, true, 6, 1},
    {"a file that passes a level", 4, false, 6, 4, true, 6, 1},
    {"nothing known below", 4, false, 6, 4, true, -1, -1},
    {"nothing known of the tree", 0, false, -1, -1, true, -1, -1},
    {"an unknown level", -1, false, 6, 4, true, 5, -1},
    {"static levels: half a step to the last", 2, false, 3, 1, false, 3, 0.5},
    {"static levels, a level more", 1, false, 3, 1, false, 2, 1.5},
    {"static levels, a flush", 0, false, 3, 1, false, 1, 2},
    {"a flush, where there is one level", 0, false, 1, 1, false, 1, 0.5},
    {"taken for dynamic by the last number", 5, false, 6, 4, std::nullopt, 6, 1},
    {"taken for static by its depth", 2, false, 3, 1, std::nullopt, 3, 0.5},
};

TEST(LevelsBelow, FollowsTheTable) {
  for (const PlaceCase& one : kPlaces) {
    const BuildFacts facts = {kCompactionStyleLevel, one.level,
                              one.level == 0 ? kFlush : kCompaction, 7, one.is_bottommost};
    KnownTree known;
    known.depth = one.depth;
    known.base = one.base;
    known.has_dynamic_levels = one.is_dynamic;
    EXPECT_EQ(LevelsBelow(facts, known, one.next), one.below) << one.name;
    // The deepest level with filters replaces the last one.
    known.last_level_has_filters = false;
    EXPECT_EQ(LevelsBelow(facts, known, one.next),
              one.below < 0 ? -1 : std::max(0.0, one.below - 1))
        << one.name;
  }
}

TEST(LevelsBelow, IsUnknownWithoutLevels) {
  KnownTree known;
  known.depth = 6;
  known.base = 5;
  for (const CompactionStyle style :
       {kCompactionStyleUniversal, kCompactionStyleFIFO, kCompactionStyleNone}) {
    EXPECT_EQ(LevelsBelow({style, 5, kCompaction, 7, false}, known, 6), -1);
    EXPECT_EQ(LevelsBelow({style, 6, kCompaction, 7, true}, known, -1), -1);
  }
}

// absent_share, but 0, and level_size_ratio of the policy have no effect.
TEST(PlannedOptions, TakesTheRatioOfTheFamilies) {
  PolicyOptions policy;
  policy.level_plan = LevelPlan::kAuto;
  policy.absent_share = 0.25;
  policy.level_size_ratio = 7;
  const BuildFacts facts = {kCompactionStyleLevel, 5, kCompaction, 7, true};
  KnownTree known;
  known.depth = 6;
  EXPECT_EQ(PlannedOptions(policy, facts, known, -1).level_size_ratio, 10);
  known.size_ratio = 1e9;
  EXPECT_EQ(CheckOptions(PlannedOptions(policy, facts, known, -1)), "");
  known.size_ratio = 4;
  const FilterOptions options = PlannedOptions(policy, facts, known, -1);
  EXPECT_EQ(options.level_size_ratio, 4);
  EXPECT_EQ(options.absent_share, 1);
  EXPECT_EQ(options.level_plan, LevelPlan::kAuto);
  EXPECT_EQ(options.levels_below, 0);
  policy.absent_share = 0;
  EXPECT_EQ(PlannedOptions(policy, facts, known, -1).absent_share, 0);
}

}  // namespace context_test
}  // namespace winnow::plugin
