#include "tools/winnow/advise/advice_candidates.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/policy_trial/trial_filter.h"

namespace winnow::inspect {
namespace {

constexpr int kFewestBits = 4;
constexpr int kMostBits = 20;

// Keys of the filter by which a RocksDB policy's rate is seen: of so many, rounding tells nothing.
constexpr uint64_t kTrialKeys = 50'000;

// Of fewer, rounding decides sizes, probes and rates of RocksDB's filters: one is built.
constexpr uint64_t kFewKeys = 5'000;

constexpr uint64_t kBuiltinMetadata = 5;  // bytes behind the bits of RocksDB's filters

// Groups of files differ by this factor in the keys of a block, at most.
constexpr double kAlike = 1.005;

// Filters of few keys have whole numbers of columns or of fingerprints' bits, which round up.
double WinnowRate(uint64_t n, const FilterOptions& building) {
  const core::FilterPlan plan = core::PlanFilter(n, building);
  if (plan.kind == FilterKind::kBloom) {
    return core::BloomRate(n, plan.blocks, plan.probes);
  }
  if (n < core::kMinSmallKeys) {
    return std::ldexp(static_cast<double>(n),
                      -static_cast<int>(core::ListBits(n, plan.target_rate)));
  }
  return n < core::kMinBumpedKeys ? std::exp2(-static_cast<double>(plan.columns.most()))
                                  : core::ColumnsRate(plan.columns);
}

// What RocksDB's policy builds of n keys.
BuiltinFilter BuildTrial(const std::string& policy, const TreeShape& shape, uint64_t n) {
  TreePlace place;
  place.level = place.base = place.depth = 6;
  place.bottommost = true;
  TreeShape with_filters = shape;
  with_filters.last_level_has_filters = true;
  const std::string block = TrialBlock(policy, with_filters, place, n);
  return block.empty() ? BuiltinFilter() : ParseBuiltinFilter(block);
}

// Rates of a policy's plans are settled by the place alone, and only so many places differ.
class PlansOfPlaces {
 public:
  explicit PlansOfPlaces(const TreeShape& shape) : shape_(shape) {}

  double LevelsBelow(const std::string& plan, const TreePlace& place) {
    const auto key = std::tuple(plan, place.level, place.bottommost, place.levels_below,
                                place.bottom_below, place.other_flush);
    const auto [known, is_new] = known_.try_emplace(key, -1);
    if (is_new) {
      known->second = LevelsBelowOf(plan, shape_, place);
    }
    return known->second;
  }

 private:
  const TreeShape& shape_;
  std::map<std::tuple<std::string, int, bool, uint64_t, bool, bool>, double> known_;
};

}  // namespace

std::string Candidate::Text() const {
  switch (maker) {
    case FilterMaker::kNone:
      return "nullptr";
    case FilterMaker::kBloomFilter:
      return absl::StrCat("bloomfilter:", bits_per_key);
    case FilterMaker::kRibbonFilter:
      return absl::StrCat("ribbonfilter:", bits_per_key, ":-1");
    case FilterMaker::kWinnow:
      break;
  }
  if (plan == LevelPlan::kUniform) {
    return absl::StrCat("winnow:", bits_per_key);
  }
  return absl::StrCat("{id=winnow;bits_per_key=", bits_per_key,
                      ";level_plan=", std::string(ToString(plan)),
                      absent_share < 1 ? absl::StrCat(";absent_share=", absent_share) : "", "}");
}

std::vector<Candidate> AllCandidates(double absent_share) {
  std::vector<Candidate> all = {{FilterMaker::kNone, 0, LevelPlan::kUniform, 1}};
  for (int bits = kFewestBits; bits <= kMostBits; ++bits) {
    const double b = bits;
    for (const FilterMaker maker :
         {FilterMaker::kBloomFilter, FilterMaker::kRibbonFilter, FilterMaker::kWinnow}) {
      all.push_back({maker, b, LevelPlan::kUniform, 1});
    }
    for (const LevelPlan plan : {LevelPlan::kByLevel, LevelPlan::kAuto}) {
      all.push_back({FilterMaker::kWinnow, b, plan, 1});
      if (absent_share < 1) {
        all.push_back({FilterMaker::kWinnow, b, plan, absent_share});
      }
    }
  }
  return all;
}

FamilyFormula FormulaOf(const AdvisedFamily& family, const std::vector<AdvisedFile>& files,
                        const std::vector<size_t>& some, const std::vector<uint64_t>& asks) {
  FamilyFormula formula;
  formula.shape = family.shape;
  PlansOfPlaces plans(family.shape);
  std::map<std::tuple<int64_t, double, double, bool>, FileGroup> groups;
  for (const size_t at : some) {
    const AdvisedFile& file = files[family.files[at]];
    const double blocks = static_cast<double>(std::max<size_t>(file.partitions, 1));
    const double keys = static_cast<double>(file.keys) / blocks;
    const bool unfiltered = file.place.bottommost && !family.shape.last_level_has_filters;
    const double by_level = unfiltered ? -1 : plans.LevelsBelow("by_level", file.place);
    const double automatic = unfiltered ? -1 : plans.LevelsBelow("auto", file.place);
    const auto size =
        static_cast<int64_t>(std::llround(std::log(std::max(keys, 1.0)) / std::log(kAlike)));
    FileGroup& group = groups[{file.keys == 0 ? -1 : size, by_level, automatic, unfiltered}];
    group.keys = (group.keys * group.blocks + keys * blocks) / (group.blocks + blocks);
    group.blocks += blocks;
    group.asks += static_cast<double>(asks[at]);
    group.levels_below[0] = by_level;
    group.levels_below[1] = automatic;
    group.unfiltered = unfiltered;
    formula.has_plans = formula.has_plans || by_level >= 0 || automatic >= 0;
  }
  for (const auto& [key, group] : groups) {
    formula.groups.push_back(group);
  }
  return formula;
}

CandidateCosts::CandidateCosts(const Candidate& candidate) : candidate_(candidate) {
  if (candidate.maker == FilterMaker::kNone || candidate.maker == FilterMaker::kWinnow) {
    return;
  }
  std::string problem;
  builtin_ = PolicyOfText(candidate.Text(), &problem);
}

Cost CandidateCosts::OfBuiltinBlock(uint64_t keys, const TreeShape& shape) const {
  if (keys <= kFewKeys) {
    const BuiltinFilter filter = BuildTrial(candidate_.Text(), shape, keys);
    return {static_cast<double>(filter.payload_bytes + kBuiltinMetadata),
            ExpectedRate(filter, keys)};
  }
  const auto [known, is_new] =
      builtin_trials_.try_emplace(std::pair(shape.table_format, shape.filters_for_memory));
  if (is_new) {
    known->second = BuildTrial(candidate_.Text(), shape, kTrialKeys);
  }
  const uint64_t bytes = BuiltinBytes(*builtin_, shape, keys);
  BuiltinFilter filter = known->second;
  filter.payload_bytes = bytes - std::min(bytes, kBuiltinMetadata);
  if (filter.block_bits > 0) {  // a Bloom filter
    filter.blocks =
        std::max<uint64_t>(1, 8 * filter.payload_bytes / static_cast<uint64_t>(filter.block_bits));
  }
  return {static_cast<double>(bytes), ExpectedRate(filter, keys)};
}

Cost CandidateCosts::OfBlock(double keys, double levels_below, const TreeShape& shape) const {
  const auto n = static_cast<uint64_t>(std::llround(keys));
  if (builtin_ != nullptr) {
    return OfBuiltinBlock(n, shape);
  }
  FilterOptions options;
  options.bits_per_key = candidate_.bits_per_key;
  options.level_plan = candidate_.plan;
  options.absent_share = candidate_.absent_share;
  options.level_size_ratio = std::clamp(shape.size_ratio, core::kMinSizeRatio, core::kMaxSizeRatio);
  options.levels_below = levels_below;
  if (!NeedsFilter(options)) {
    return {0, 1};
  }
  const FilterOptions building = core::ForBuilding(options);
  return {static_cast<double>(core::EstimateBytes(n, building)), WinnowRate(n, building)};
}

Cost CandidateCosts::Of(const FamilyFormula& family) const {
  Cost cost;
  for (const FileGroup& group : family.groups) {
    Cost block = {0, 1};
    if (candidate_.maker != FilterMaker::kNone && !group.unfiltered && group.keys > 0) {
      const double levels_below =
          candidate_.plan == LevelPlan::kUniform
              ? -1
              : group.levels_below[candidate_.plan == LevelPlan::kByLevel ? 0 : 1];
      block = OfBlock(group.keys, levels_below, family.shape);
    }
    cost += {block.bytes * group.blocks, block.false_reads * group.asks};
  }
  return cost;
}

}  // namespace winnow::inspect
