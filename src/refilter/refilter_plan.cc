#include "src/refilter/refilter_plan.h"

#include <rocksdb/comparator.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "src/core/level_plan.h"
#include "src/core/output_levels.h"
#include "src/core/sizing.h"
#include "src/family/family.h"
#include "src/family/shape.h"
#include "src/policy_trial/learned_trial.h"
#include "src/rocksdb/builders/memory_budget.h"
#include "src/rocksdb/trees/known_trees.h"
#include "src/sst/internal_keys.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::Slice;

// Files of one family.
struct Tree {
  const RefilterFamily* family = nullptr;
  std::vector<const RefilterFile*> files;
  std::vector<core::FileSpan> spans;  // of the files
};

// Returns the user key of an internal one, without a timestamp.
std::string_view UserKey(std::string_view internal, size_t timestamp_bytes) {
  const std::optional<InternalKey> key = ParseInternalKey(internal);
  if (!key || key->user_key.size() < timestamp_bytes) return {};
  return key->user_key.substr(0, key->user_key.size() - timestamp_bytes);
}

std::map<uint32_t, Tree> TreesOf(const RefilterDatabase& database) {
  std::map<uint32_t, Tree> trees;
  for (const RefilterFile& file : database.files) {
    const ManifestFile& listed = database.manifest.files.at(file.number);
    Tree& tree = trees[listed.family];
    tree.family = &database.families.at(listed.family);
    tree.files.push_back(&file);
    const bool has_timestamps =
        file.tail.properties.count("rocksdb.user.defined.timestamps.persisted") == 0 ||
        file.tail.Number("rocksdb.user.defined.timestamps.persisted") != 0;
    const size_t timestamp_bytes =
        has_timestamps ? tree.family->options.comparator->timestamp_size() : 0;
    tree.spans.push_back({listed.level, UserKey(listed.smallest, timestamp_bytes),
                          UserKey(listed.largest, timestamp_bytes), -1});
  }
  for (auto& [number, tree] : trees) {
    const Comparator& comparator = *tree.family->options.comparator;
    const bool has_timestamps = comparator.timestamp_size() > 0;
    const auto compare = [&](std::string_view a, std::string_view b) {
      const Slice left(a.data(), a.size());
      const Slice right(b.data(), b.size());
      return has_timestamps ? comparator.CompareWithoutTimestamp(left, false, right, false)
                            : comparator.Compare(left, right);
    };
    core::SetBelow(compare, &tree.spans);
  }
  return trees;
}

// Returns the range in bytewise order; of keys in another order than the bytewise one and its
// reverse, one that means nothing.
family::KeyRange RangeOf(const core::FileSpan& span) {
  family::KeyRange range{std::string(span.first.substr(0, family::kMostKeyBytes)),
                         std::string(span.last.substr(0, family::kMostKeyBytes)),
                         {}};
  if (range.last < range.first) std::swap(range.first, range.last);
  return range;
}

bool IsInByteOrder(const Comparator& comparator) {
  return &comparator == ROCKSDB_NAMESPACE::BytewiseComparator() ||
         &comparator == ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
}

// Sets the plan of a tree's files.
class TreePlan {
 public:
  TreePlan(const Tree& tree, uint64_t id) : tree_(tree), shape_(tree.family->shape) {
    known_ = TreeByOptions(shape_);
    for (const core::FileSpan& span : tree.spans) {
      known_ = plugin::WithLevel(known_, span.level);
    }
    known_.id = id;
  }

  void AddTo(std::map<uint64_t, PlannedFilter>* plan) const {
    std::vector<PlannedFilter> planned;
    std::vector<family::Shape::Placed> filtered;
    std::map<const family::LiveFile*, size_t> of_file;
    for (size_t i = 0; i < tree_.files.size(); ++i) {
      planned.push_back(AtPlace(i));
      if (!HasFilter(planned[i].place) || tree_.files[i]->keys() == 0) continue;
      auto live = std::make_shared<family::LiveFile>();
      live->range = RangeOf(tree_.spans[i]);
      live->keys = static_cast<double>(tree_.files[i]->keys());
      live->bits = family::kMostBits;
      live->level = tree_.spans[i].level;
      of_file[live.get()] = i;
      filtered.push_back({std::move(live), tree_.spans[i].level});
    }
    const family::Shape shape(std::move(filtered),
                              IsInByteOrder(*tree_.family->options.comparator));
    const Rule rule = RuleOf(shape);
    for (const family::Shape::Placed& placed : shape.files()) {
      PlannedFilter& filter = planned[of_file.at(placed.file.get())];
      filter.reached = placed.reached() / shape.keys();
      if (tree_.family->winnow) Decide(placed, shape, rule, &filter);
    }
    for (size_t i = 0; i < planned.size(); ++i) {
      plan->emplace(tree_.files[i]->number, planned[i]);
    }
  }

 private:
  // The rule's numbers that all files share.
  struct Rule {
    double mean = 0;
    double most = family::kMostBits;
    bool is_of_memory = false;
  };

  PlannedFilter AtPlace(size_t i) const {
    const core::FileSpan& span = tree_.spans[i];
    PlannedFilter planned;
    planned.place.level = span.level;
    planned.place.base = known_.base;
    planned.place.depth = known_.depth;
    planned.place.below = span.below;
    planned.place.bottommost = span.level > 0 && span.below < 0;
    planned.decided.tree = known_;
    return planned;
  }

  bool HasFilter(const TreePlace& place) const {
    if (place.bottommost && !shape_.last_level_has_filters) return false;
    if (!tree_.family->winnow) return true;
    const plugin::BuildFacts facts = FactsOfPlace(shape_, place);
    return NeedsFilter(plugin::PlannedOptions(*tree_.family->winnow, facts, known_,
                                              plugin::NextLevel(facts, known_)));
  }

  Rule RuleOf(const family::Shape& shape) const {
    Rule rule;
    rule.mean = shape.sums().log2_reach / std::max(shape.sums().keys, 1.0);
    const std::optional<PolicyOptions>& options = tree_.family->winnow;
    if (!options || options->filter_memory == 0) return rule;
    family::Family::Totals totals;
    std::vector<family::Weighed> all;
    for (const family::Shape::Placed& placed : shape.files()) {
      ++totals.files;
      totals.keys += placed.file->keys;
      all.push_back({placed.reach.log2(), placed.file->keys});
    }
    TreePlace last;
    last.level = std::max(known_.depth, 0);
    const plugin::SharedMemory memory =
        plugin::MemoryOf(*options, FactsOfPlace(shape_, last), known_, totals);
    rule.is_of_memory = true;
    rule.most = memory.most_bits;
    rule.mean = family::Log2LambdaFor(all, memory.bits, memory.most_bits) +
                core::RateBits(options->bits_per_key);
    return rule;
  }

  void Decide(const family::Shape::Placed& placed, const family::Shape& shape, const Rule& rule,
              PlannedFilter* filter) const {
    const PolicyOptions& options = *tree_.family->winnow;
    const double uniform = core::RateBits(options.bits_per_key);
    family::Decided& decided = filter->decided.decided;
    decided.reach = placed.reach;
    decided.mean = rule.mean;
    decided.bits = rule.is_of_memory ? std::clamp(uniform + placed.reach.log2() - rule.mean,
                                                  family::kLeastBits, family::kMostBits)
                                     : family::BitsByRule(uniform, placed.reach, rule.mean);
    filter->decided.is_bytewise =
        tree_.family->options.comparator == ROCKSDB_NAMESPACE::BytewiseComparator();
    filter->range_bits = options.range_bits;
    if (options.range_bits > 0 && options.level_plan != LevelPlan::kUniform &&
        options.filter_memory == 0) {
      filter->range_bits = std::clamp(options.range_bits + shape.MoreOnLevel(filter->place.level),
                                      1.0, kRangeBitsOption.most);
    }
  }

  const Tree& tree_;
  const TreeShape& shape_;
  plugin::KnownTree known_;
};

}  // namespace

std::map<uint64_t, PlannedFilter> PlanFilters(const RefilterDatabase& database) {
  std::map<uint64_t, PlannedFilter> plan;
  for (const auto& [number, tree] : TreesOf(database)) {
    const std::string& name = tree.family->name;
    TreePlan(tree, plugin::TreeIdOf(HashKey(database.identity).value, name)).AddTo(&plan);
  }
  return plan;
}

std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> NewBuilderFor(const RefilterFamily& family,
                                                                    const PlannedFilter& planned,
                                                                    bool is_partitioned) {
  if (planned.place.bottommost && !family.shape.last_level_has_filters) return nullptr;
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
