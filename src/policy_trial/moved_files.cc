#include "src/policy_trial/moved_files.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/policy_trial/learned_trial.h"
#include "src/policy_trial/moved_filters.h"
#include "src/rocksdb/trees/context.h"
#include "src/text/printable.h"

namespace winnow::inspect {
namespace {

bool IsMoved(const FileInTree& file, LevelPlan plan) {
  if (file.lacks_planned) return file.below >= 0;
  if (!file.built_for || file.built_for->level == file.level) return false;
  const bool is_planned = file.built_for->level_plan != ToString(LevelPlan::kUniform);
  return !IsByFiles(*file.built_for) && (is_planned || plan != LevelPlan::kUniform);
}

// Returns the file's filter, and the options that the file would be rewritten with on its level. A
// file that lies over nothing counts as on the last level.
PlacedFilter PlaceFilter(const PolicyOptions& policy, const plugin::KnownTree& tree, int levels,
                         const FileInTree& file) {
  plugin::BuildFacts facts;
  facts.level = file.level;
  facts.levels = levels;
  facts.is_bottommost = file.level > 0 && file.below < 0;
  PlacedFilter filter;
  filter.level = file.level;
  filter.keys = static_cast<double>(file.keys);
  filter.bytes = static_cast<double>(file.filter_bytes);
  filter.rate = file.rate;
  filter.is_moved = IsMoved(file, policy.level_plan);
  filter.policy = plugin::PlannedOptions(policy, facts, tree, file.below);
  filter.gets_none = facts.is_bottommost && !tree.last_level_has_filters;
  return filter;
}

}  // namespace

std::optional<FileInTree> InTree(const SstReport& file) {
  if (!file.level || !file.filter || file.filter->fault) return std::nullopt;
  const FilterSummary& filter = *file.filter;
  FileInTree placed;
  placed.level = *file.level;
  placed.below = file.below;
  placed.keys =
      filter.keys > 0 ? filter.keys : file.entries - std::min(file.entries, file.range_deletions);
  placed.filter_bytes = filter.bytes_without_range();
  placed.rate = filter.expected_fpr.value_or(1);
  placed.built_for = filter.built_for;
  placed.lacks_planned = filter.kind == kNoFilter && filter.policy_name == kWinnowPolicy;
  return placed;
}

std::vector<std::string> SayMovedFilters(const TreeShape& shape,
                                         const std::vector<FileInTree>& files,
                                         const std::string& where) {
  const std::optional<PolicyOptions> policy = WinnowPolicyOf(shape.policy);
  const bool is_leveled = shape.style == ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  if (!policy || policy->filter_memory > 0 || !is_leveled) return {};
  plugin::KnownTree tree = TreeByOptions(shape);
  for (const FileInTree& file : files) tree = plugin::WithLevel(tree, file.level);
  std::vector<PlacedFilter> placed;
  for (const FileInTree& file : files) {
    placed.push_back(PlaceFilter(*policy, tree, shape.levels, file));
  }
  return ToSentences(FindMovedFilters(placed), policy->level_plan, where);
}

std::vector<std::string> SayMovedFilters(const std::vector<SstReport>& files,
                                         const std::vector<std::string>& families) {
  std::map<std::pair<std::string, std::string>, std::vector<FileInTree>> trees;
  std::set<std::string> to_read;  // databases that may have moved filters; most have none
  for (const SstReport& file : files) {
    const std::optional<FileInTree> placed = InTree(file);
    const bool is_asked_for =
        families.empty() || absl::c_find(families, file.column_family) != families.end();
    if (!placed || !is_asked_for) continue;
    trees[{file.database, file.column_family}].push_back(*placed);
    if (IsMoved(*placed, LevelPlan::kAuto)) to_read.insert(file.database);
  }
  std::vector<std::string> sentences;
  for (const std::string& database : to_read) {
    const TreeShapes shapes = ReadTreeShapes(database);
    for (const auto& [name, of_family] : trees) {
      const auto shape = shapes.families.find(name.second);
      if (name.first != database || shape == shapes.families.end()) continue;
      std::string where;
      if (trees.size() > 1) {
        absl::StrAppend(&where, " of column family '", Printable(name.second), "'");
      }
      if (to_read.size() > 1) absl::StrAppend(&where, " of ", Printable(database));
      for (std::string& sentence : SayMovedFilters(shape->second, of_family, where)) {
        sentences.push_back(std::move(sentence));
      }
    }
  }
  return sentences;
}

}  // namespace winnow::inspect
