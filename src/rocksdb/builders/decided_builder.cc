#include "src/rocksdb/builders/decided_builder.h"

#include <rocksdb/table.h>

#include <memory>
#include <utility>

#include "src/rocksdb/builders/bits_builder.h"
#include "src/rocksdb/builders/file_plan.h"
#include "src/rocksdb/ranges/range_part.h"
#include "src/rocksdb/trees/asked_ranges.h"
#include "src/rocksdb/trees/known_trees.h"

namespace winnow::plugin {

ROCKSDB_NAMESPACE::FilterBitsBuilder* NewDecidedBuilder(
    const PolicyOptions& options, const DecidedFile& file,
    const ROCKSDB_NAMESPACE::FilterBuildingContext& context) {
  const BuildFacts facts = FactsOf(context);
  PolicyOptions asked = options;
  asked.level_plan = PlanInForce(options.level_plan);
  asked.filter_memory = 0;
  const FilterOptions planned =
      PlannedOptions(asked, facts, file.tree, NextLevel(facts, file.tree));
  if (!NeedsFilter(planned)) return nullptr;
  std::unique_ptr<RangePart> range;
  if (asked.range_bits > 0 && file.tree.is_bytewise) {
    const core::TableRangePlan plan = AskedRanges().PlanFor(asked.range_kind, asked.range_bits);
    range = std::make_unique<RangePart>(plan, context.table_options.whole_key_filtering,
                                        context.info_log, asked.range_kind);
  }
  const bool has_plan = asked.level_plan != LevelPlan::kUniform || range != nullptr;
  if (!has_plan) return NewBitsBuilder(ContextToOptions(asked, context), /*verify=*/true);
  FilePlan::Tree tree;
  tree.known = file.tree;
  tree.record = std::make_shared<TreeRecord>();
  tree.has_notes = asked.tree_notes > 0 && file.has_notes;
  tree.decided = file.decided;
  // A range filter that also answers for keys has none beside it to verify.
  const bool may_be_single = range != nullptr && asked.range_kind == RangeKind::kSingle;
  return NewBitsBuilder(planned, /*verify=*/!may_be_single,
                        std::make_unique<FilePlan>(asked, facts, std::move(tree)),
                        std::move(range));
}

}  // namespace winnow::plugin
