#include "src/rocksdb/planned_builders.h"

#include <rocksdb/table.h>

#include <memory>
#include <string>
#include <utility>

#include "src/rocksdb/bits_builder.h"
#include "src/rocksdb/context.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/place_of_file.h"
#include "src/rocksdb/policy_options.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBuildingContext;

namespace {

// Whether the files of the last level have filters, so that their ranges are known.
bool LastLevelIsSeen(const PolicyOptions& options, const KnownTree& known) {
  return options.absent_share > 0 && known.last_level_has_filters;
}

std::string NoLevelsNote(const PolicyOptions& options) {
  return "level_plan=" + std::string(ToString(options.level_plan)) +
         " has no effect on column families without leveled compaction: all their filters have "
         "the rate of bits_per_key=" +
         PolicyOptionText("bits_per_key", options);
}

FamilyOptions FamilyOptionsOf(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) {
  FamilyOptions options;
  options.size_ratio = family.max_bytes_for_level_multiplier;
  options.has_dynamic_levels = family.level_compaction_dynamic_level_bytes;
  options.has_last_level_without_filters = family.optimize_filters_for_hits;
  return options;
}

}  // namespace

FilterBitsBuilder* PlannedBuilders::NewBuilder(const PolicyOptions& options,
                                               const FilterBuildingContext& context) noexcept {
  const bool verify = context.table_options.detect_filter_construct_corruption;
  if (options.level_plan == LevelPlan::kUniform) {
    return NewBitsBuilder(ContextToOptions(options, context), verify);
  }
  try {
    const BuildFacts facts = FactsOf(context);
    if (facts.compaction_style != ROCKSDB_NAMESPACE::kCompactionStyleLevel) {
      notes_.WriteNoteOnce(context.info_log, NoLevelsNote(options));
    }
    const KnownTree known = trees_.Learn(context.info_log, context.column_family_name, facts);
    const FilterOptions planned = PlannedOptions(options, facts, known, NextLevel(facts, known));
    if (!NeedsFilter(planned)) return nullptr;
    if (options.level_plan == LevelPlan::kByLevel || !LastLevelIsSeen(options, known)) {
      return NewBitsBuilder(planned, verify);
    }
    std::shared_ptr<KnownRanges> ranges =
        trees_.RangesOf(context.info_log, context.column_family_name);
    if (ranges == nullptr || facts.level < 0) return NewBitsBuilder(planned, verify);
    return NewBitsBuilder(planned, verify,
                          std::make_unique<PlaceOfFile>(options, facts, known, std::move(ranges)));
  } catch (...) {
    CountUnbuiltFilter();
    return nullptr;
  }
}

void PlannedBuilders::BeginAfresh(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept {
  trees_.BeginAfresh(FamilyOptionsOf(family));
}

}  // namespace winnow::plugin
