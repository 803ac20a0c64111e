#include "src/refilter/refilter_plan.h"

#include <rocksdb/comparator.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/core/output_levels.h"
#include "src/policy_trial/learned_trial.h"
#include "src/rocksdb/trees/known_trees.h"
#include "src/sst/internal_keys.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::Slice;

// Files of one family.
struct Tree {
  std::vector<const RefilterFile*> files;
  std::vector<core::FileSpan> spans;  // of the files
};

// Returns the user key of an internal one, without a timestamp.
std::string_view UserKey(std::string_view internal, size_t timestamp_bytes) {
  const std::optional<InternalKey> key = ParseInternalKey(internal);
  if (!key || key->user_key.size() < timestamp_bytes) return {};
  return key->user_key.substr(0, key->user_key.size() - timestamp_bytes);
}

void AddTo(Tree* tree, const RefilterFile& file, const ManifestFile& listed,
           const RefilterFamily& family) {
  const size_t timestamp_bytes =
      file.has_timestamps ? family.options.comparator->timestamp_size() : 0;
  tree->files.push_back(&file);
  tree->spans.push_back({listed.level, UserKey(listed.smallest, timestamp_bytes),
                         UserKey(listed.largest, timestamp_bytes), -1});
}

// Returns whether a file at this place has no filter, whatever the policy.
bool LacksFilter(const RefilterFamily& family, const TreePlace& place) {
  return place.bottommost && !family.shape.last_level_has_filters;
}

// Plans the files of a family; `known` has the id of its tree.
void PlanTree(const RefilterFamily& family, plugin::KnownTree known, Tree* tree,
              std::map<uint64_t, PlannedFilter>* plan) {
  const auto compare = [&family](std::string_view a, std::string_view b) {
    return family.options.comparator->CompareWithoutTimestamp(Slice(a.data(), a.size()), false,
                                                              Slice(b.data(), b.size()), false);
  };
  core::SetBelow(compare, &tree->spans);
  for (const core::FileSpan& span : tree->spans) known = plugin::WithLevel(known, span.level);
  std::vector<LearnedFile> files;
  for (size_t i = 0; i < tree->files.size(); ++i) {
    const core::FileSpan& span = tree->spans[i];
    PlannedFilter& planned = (*plan)[tree->files[i]->number];
    planned.place = {span.level, span.level > 0 && span.below < 0, known.base, known.depth,
                     span.below};
    planned.decided.tree = known;
    LearnedFile& file = files.emplace_back();
    file = {planned.place, std::string(span.first), std::string(span.last), tree->files[i]->keys};
    if (file.last < file.first) std::swap(file.first, file.last);
    // Files without a filter do not share.
    if (file.keys == 0 || LacksFilter(family, planned.place)) file.place.level = -1;
  }
  const PolicyOptions policy = family.winnow.value_or(PolicyOptions());
  const std::vector<LearnedTrial::Written> written =
      LearnedTrial(family.shape, files).OnceWritten(policy);
  double keys = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    if (written[i].decided) keys += static_cast<double>(files[i].keys);
  }
  for (size_t i = 0; i < files.size(); ++i) {
    PlannedFilter& planned = plan->at(tree->files[i]->number);
    planned.range_bits = policy.range_bits;
    if (!written[i].decided) continue;
    planned.decided.decided = *written[i].decided;
    planned.reached = static_cast<double>(files[i].keys) *
                      std::exp2(written[i].decided->reach.log2_by_keys) / keys;
    if (policy.range_bits > 0 && policy.level_plan != LevelPlan::kUniform &&
        policy.filter_memory == 0) {
      planned.range_bits =
          std::clamp(policy.range_bits + written[i].more_on_level, 1.0, kRangeBitsOption.most);
    }
  }
}

}  // namespace

std::map<uint64_t, PlannedFilter> PlanFilters(const RefilterDatabase& database) {
  std::map<uint32_t, Tree> trees;
  for (const RefilterFile& file : database.files) {
    AddTo(&trees[file.family], file, database.manifest.files.at(file.number),
          database.families.at(file.family));
  }
  std::map<uint64_t, PlannedFilter> plan;
  for (auto& [number, tree] : trees) {
    const RefilterFamily& family = database.families.at(number);
    plugin::KnownTree known = TreeByOptions(family.shape);
    known.id = plugin::TreeIdOf(HashKey(database.identity).value, family.name);
    PlanTree(family, known, &tree, &plan);
  }
  return plan;
}

std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> NewBuilderFor(const RefilterFamily& family,
                                                                    const PlannedFilter& planned,
                                                                    bool is_partitioned) {
  if (LacksFilter(family, planned.place)) return nullptr;
  FilterBuildingContext context(family.table);
  SetPlace(family.shape, planned.place, &context);
  context.column_family_name = family.name;
  std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder;
  if (family.winnow) {
    PolicyOptions options = *family.winnow;
    options.range_bits = planned.range_bits;
    plugin::DecidedFile decided = planned.decided;
    decided.has_notes = !is_partitioned;
    builder.reset(plugin::NewDecidedBuilder(options, decided, context));
  } else {
    builder.reset(family.made->GetBuilderWithContext(context));
  }
  return builder;
}

}  // namespace winnow::inspect
