#include "tools/winnow/advise/advice_candidates.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/policy_trial/trial_filter.h"
#include "src/sst/sst_filters.h"
#include "tools/winnow/advise/advice_learning.h"

namespace winnow::inspect {
namespace {

constexpr int kMinBits = 4;
constexpr int kMaxBits = 20;

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
  switch (plan.kind) {
    case FilterKind::kEmpty:
      break;
    case FilterKind::kBloom:
      return core::BloomRate(n, plan.blocks, plan.probes);
    case FilterKind::kRibbon:
      if (n < core::kMinSmallKeys) {
        return std::ldexp(static_cast<double>(n),
                          -static_cast<int>(core::ListBits(n, plan.target_rate)));
      }
      return n < core::kMinBumpedKeys ? std::exp2(-static_cast<double>(plan.columns.most()))
                                      : core::ColumnsRate(plan.columns);
  }
  return 0;
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

// Rates of a policy's plans are settled by the place alone.
class PlansOfPlaces {
 public:
  explicit PlansOfPlaces(const TreeShape& shape) : shape_(shape) {}

  double LevelsBelow(const TreePlace& place) {
    const auto [known, is_new] = known_.try_emplace(PlaceOf(place), -1);
    if (is_new) {
      known->second = LevelsBelowOf(shape_, place);
    }
    return known->second;
  }

 private:
  const TreeShape& shape_;
  std::map<PlaceForPlans, double> known_;
};

// Where CompactRange leaves all files; of files without a known level any last one.
TreePlace LastPlace(const AdvisedFamily& family, const std::vector<AdvisedFile>& files) {
  int deepest = 1;
  for (const size_t file : family.files) {
    deepest = std::max(deepest, files[file].level.value_or(0));
  }
  const bool on_last_level =
      !family.knows_levels || family.shape.has_dynamic_levels ||
      family.shape.style == ROCKSDB_NAMESPACE::CompactionStyle::kCompactionStyleUniversal;
  TreePlace place;
  place.level = place.base = place.depth =
      on_last_level ? std::max(deepest, family.shape.levels - 1) : deepest;
  place.bottommost = true;
  return place;
}

std::string PolicyInForce(const AdvisedFamily& family, const std::vector<AdvisedFile>& files) {
  const bool none = std::all_of(family.files.begin(), family.files.end(),
                                [&](size_t file) { return files[file].policy.empty(); });
  return !family.shape.policy.empty() ? family.shape.policy : none ? "nullptr" : std::string();
}

// By which a compaction into that level cuts its files.
double TargetBytes(const TreeShape& shape, const TreePlace& place) {
  const auto base = static_cast<double>(std::max<uint64_t>(shape.file_bytes, 1));
  return shape.has_dynamic_levels
             ? base
             : base * std::pow(std::max(shape.file_growth, 1), std::max(place.level - 1, 0));
}

// Places in AdvisedFamily::files.
std::vector<size_t> FilesOfLastLevel(const AdvisedFamily& family,
                                     const std::vector<AdvisedFile>& files) {
  const int last = family.files.empty() ? 0 : files[family.files.back()].level.value_or(0);
  std::vector<size_t> found;
  for (size_t at = 0; at < family.files.size() && last > 0; ++at) {
    if (files[family.files[at]].level == last) {
      found.push_back(at);
    }
  }
  return found;
}

// Those that were cut for the target: neither a compaction's last one, nor cut for another target.
std::vector<size_t> FullFiles(const AdvisedFamily& family, const std::vector<AdvisedFile>& files,
                              const std::vector<size_t>& some, double target) {
  constexpr double kAtMost = 1.1;
  constexpr double kABlockMore = 64 << 10;
  std::vector<size_t> full;
  for (const size_t at : some) {
    const auto bytes = static_cast<double>(files[family.files[at]].data_bytes);
    if (bytes >= 0.9 * target && bytes <= kAtMost * target + kABlockMore) {
      full.push_back(at);
    }
  }
  return full;
}

// Where rounding tells nothing, one group is as good as many.
void MergeLarge(std::vector<FileGroup>* groups) {
  constexpr double kManyKeys = 5'000;
  const auto large =
      std::stable_partition(groups->begin(), groups->end(),
                            [](const FileGroup& group) { return group.keys <= kManyKeys; });
  if (large == groups->end()) {
    return;
  }
  for (auto other = large + 1; other != groups->end(); ++other) {
    large->keys = (large->keys * large->blocks + other->keys * other->blocks) /
                  (large->blocks + other->blocks);
    large->blocks += other->blocks;
    large->asks += other->asks;
  }
  groups->erase(large + 1, groups->end());
}

double KeysOf(const std::vector<FileGroup>& groups) {
  double keys = 0;
  for (const FileGroup& group : groups) {
    keys += group.keys * group.blocks;
  }
  return keys;
}

// As many files of these sizes as so many keys make; lookups ask them by their keys.
void ScaleTo(double keys, double asks, std::vector<FileGroup>* groups) {
  const double of_groups = std::max(1.0, KeysOf(*groups));
  for (FileGroup& group : *groups) {
    group.asks = asks * group.keys * group.blocks / of_groups;
    group.blocks *= keys / of_groups;
  }
}

// Each file's gain at the bits that most databases have.
class GainsOfFiles {
 public:
  GainsOfFiles(const AdvisedFamily& family, double absent_share) {
    if (family.rule == nullptr) return;
    const auto bits = [&](double share) {
      const Candidate usual = {FilterMaker::kWinnow, kUsualBits, LevelPlan::kAuto, share};
      return &family.rule->BitsUnder(usual.Text());
    };
    without_share_ = bits(1);
    with_share_ = bits(absent_share);
  }

  std::optional<RuleGain> Of(size_t at) const {
    if (without_share_ == nullptr || (*without_share_)[at] == 0) return std::nullopt;
    return RuleGain{Gain((*without_share_)[at]), Gain((*with_share_)[at])};
  }

 private:
  static double Gain(double bits) {
    constexpr double kSteps = 16;
    const double gain = std::log2(core::RateForBits(kUsualBits) / core::RateForBits(bits));
    return std::round(kSteps * gain) / kSteps;
  }

  const std::vector<double>* without_share_ = nullptr;
  const std::vector<double>* with_share_ = nullptr;
};

std::optional<RuleGain> MeanGain(const GainsOfFiles& gains, const std::vector<size_t>& some) {
  RuleGain sum;
  size_t known = 0;
  for (const size_t at : some) {
    const std::optional<RuleGain> gain = gains.Of(at);
    if (!gain) continue;
    sum.without_share += gain->without_share;
    sum.with_share += gain->with_share;
    ++known;
  }
  if (known == 0) return std::nullopt;
  const auto n = static_cast<double>(known);
  return RuleGain{sum.without_share / n, sum.with_share / n};
}

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
  const std::string options =
      absl::StrCat(plan == LevelPlan::kLearned ? ";level_plan=learned" : "",
                   absent_share < 1 ? absl::StrCat(";absent_share=", absent_share) : "");
  if (options.empty()) return absl::StrCat("winnow:", bits_per_key);
  return absl::StrCat("{id=winnow;bits_per_key=", bits_per_key, options, "}");
}

std::vector<Candidate> AllCandidates(double absent_share) {
  std::vector<Candidate> all = {{FilterMaker::kNone, 0, LevelPlan::kUniform, 1}};
  for (int bits = kMinBits; bits <= kMaxBits; ++bits) {
    const double b = bits;
    for (const FilterMaker maker : {FilterMaker::kBloomFilter, FilterMaker::kRibbonFilter}) {
      all.push_back({maker, b, LevelPlan::kUniform, 1});
    }
    all.push_back({FilterMaker::kWinnow, b, LevelPlan::kAuto, 1});
    if (absent_share < 1) {
      all.push_back({FilterMaker::kWinnow, b, LevelPlan::kAuto, absent_share});
    }
    all.push_back({FilterMaker::kWinnow, b, LevelPlan::kLearned, 1});
  }
  return all;
}

FamilyFormula FormulaOf(const AdvisedFamily& family, const std::vector<AdvisedFile>& files,
                        const std::vector<size_t>& some, const std::vector<uint64_t>& asks,
                        double absent_share) {
  FamilyFormula formula;
  formula.shape = family.shape;
  formula.learning = family.learning;
  PlansOfPlaces plans(family.shape);
  const GainsOfFiles gains(family, absent_share);
  std::map<std::tuple<int64_t, double, bool, bool, double, double>, FileGroup> groups;
  for (const size_t at : some) {
    const AdvisedFile& file = files[family.files[at]];
    const double blocks = static_cast<double>(std::max<size_t>(file.partitions, 1));
    const double keys = static_cast<double>(file.keys) / blocks;
    const bool unfiltered = file.place.bottommost && !family.shape.last_level_has_filters;
    const double levels_below = unfiltered ? -1 : plans.LevelsBelow(file.place);
    const auto size =
        static_cast<int64_t>(std::llround(std::log(std::max(keys, 1.0)) / std::log(kAlike)));
    const bool skipped = IsFilterSkipped(file, family.shape);
    const std::optional<RuleGain> gain = gains.Of(at);
    FileGroup& group = groups[{file.keys == 0 ? -1 : size, levels_below, unfiltered, skipped,
                               gain ? gain->without_share : 0, gain ? gain->with_share : 0}];
    group.gain = gain;
    group.keys = (group.keys * group.blocks + keys * blocks) / (group.blocks + blocks);
    group.blocks += blocks;
    group.asks += static_cast<double>(asks[at]);
    group.levels_below = levels_below;
    group.unfiltered = unfiltered;
    group.skipped = skipped;
    formula.has_plans = formula.has_plans || levels_below >= 0;
    if (unfiltered) {
      formula.unfiltered_asks += static_cast<double>(asks[at]);
    } else if (file.keys > 0) {
      formula.files.push_back({at, keys, blocks});
    }
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

Cost CandidateCosts::OfBlock(const FileGroup& group, const TreeShape& shape) const {
  const auto n = static_cast<uint64_t>(std::llround(group.keys));
  if (builtin_ != nullptr) {
    return OfBuiltinBlock(n, shape);
  }
  FilterOptions options;
  options.bits_per_key = candidate_.bits_per_key;
  if (group.gain && candidate_.absent_share > 0) {
    const double gain =
        candidate_.absent_share < 1 ? group.gain->with_share : group.gain->without_share;
    const double rate = std::clamp(core::RateForBits(options.bits_per_key) * std::exp2(-gain),
                                   kLowestRate, kHighestRate);
    options.bits_per_key = core::BitsForRate(rate);
    const FilterOptions building = core::ForBuilding(options);
    return {static_cast<double>(core::EstimateBytes(n, building)), WinnowRate(n, building)};
  }
  options.level_plan = candidate_.plan;
  options.absent_share = candidate_.absent_share;
  options.level_size_ratio = kLevelSizeRatioOption.Nearest(shape.size_ratio);
  options.levels_below = group.levels_below;
  if (!NeedsFilter(options)) {
    return {0, 1};
  }
  const FilterOptions building = core::ForBuilding(options);
  return {static_cast<double>(core::EstimateBytes(n, building)), WinnowRate(n, building)};
}

// Lookups of the half that was not learned from stand for all.
Cost CandidateCosts::OfLearned(const FamilyFormula& family) const {
  const std::vector<double>& bits = family.learning->BitsUnder(candidate_.Text());
  Cost cost{0, family.unfiltered_asks};
  for (const FamilyFormula::File& file : family.files) {
    FilterOptions options;
    options.bits_per_key = bits[file.at];
    const FilterOptions building = core::ForBuilding(options);
    const auto keys = static_cast<uint64_t>(std::llround(file.keys));
    const auto asks = static_cast<double>(family.learning->asks(file.at).size());
    cost += {file.blocks * static_cast<double>(core::EstimateBytes(keys, building)),
             family.learning->all_to_judged() * asks * WinnowRate(keys, building)};
  }
  return cost;
}

Cost CandidateCosts::Of(const FamilyFormula& family) const {
  if (candidate_.plan == LevelPlan::kLearned && family.learning != nullptr) {
    return OfLearned(family);
  }
  Cost cost;
  for (const FileGroup& group : family.groups) {
    Cost block = {0, 1};
    if (candidate_.maker != FilterMaker::kNone && !group.unfiltered && group.keys > 0) {
      block = OfBlock(group, family.shape);
    }
    cost += {block.bytes * group.blocks, (group.skipped ? 1 : block.false_reads) * group.asks};
  }
  return cost;
}

PlaceForPlans PlaceOf(const TreePlace& place) {
  return {place.level, place.bottommost, place.levels_below, place.bottom_below, place.other_flush};
}

Cost CostOfBuilt(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                 uint64_t keys) {
  const std::string block = TrialBlock(policy, shape, place, keys);
  return {static_cast<double>(block.size()),
          block.empty() ? 1 : ClassifyBlock(block, keys).expected_fpr.value_or(1)};
}

CompactedFamily OnceCompacted(const AdvisedFamily& family, const std::vector<AdvisedFile>& files,
                              double live_share, uint64_t asks_of_one,
                              const std::vector<uint64_t>& asks, double absent_share) {
  constexpr double kNearlyAll = 0.99;
  CompactedFamily compacted;
  compacted.place = LastPlace(family, files);
  compacted.policy = PolicyInForce(family, files);
  double keys = 0;
  double bytes = 0;
  double partitioned_keys = 0;
  double partitions = 0;
  for (const size_t at : family.files) {
    const AdvisedFile& file = files[at];
    keys += live_share * static_cast<double>(file.keys);
    bytes += live_share * static_cast<double>(file.data_bytes);
    partitioned_keys += file.partitions > 0 ? static_cast<double>(file.keys) : 0;
    partitions += static_cast<double>(file.partitions);
    compacted.rate_is_known = compacted.rate_is_known && !file.has_prefixes_only;
  }
  const double target = TargetBytes(family.shape, compacted.place);
  const std::vector<size_t> last = FilesOfLastLevel(family, files);
  const std::vector<size_t> full = FullFiles(family, files, last, target);
  compacted.is_already =
      last.size() == family.files.size() && live_share > kNearlyAll && compacted.rate_is_known;
  std::vector<FileGroup> groups =
      FormulaOf(family, files, compacted.is_already ? last : full, asks, absent_share).groups;
  if (!compacted.is_already) {
    if (groups.empty() || bytes < target) {
      FileGroup group;
      group.blocks = partitions > 0 ? std::max(1.0, keys * partitions / partitioned_keys)
                                    : std::max(1.0, std::ceil(bytes / target));
      group.keys = keys / group.blocks;
      groups = {group};
    }
    ScaleTo(keys, static_cast<double>(asks_of_one), &groups);
  }
  MergeLarge(&groups);
  const double levels_below =
      family.shape.last_level_has_filters ? LevelsBelowOf(family.shape, compacted.place) : -1;
  const std::optional<RuleGain> gain = MeanGain(GainsOfFiles(family, absent_share), last);
  for (FileGroup& group : groups) {
    group.unfiltered = !family.shape.last_level_has_filters;
    group.levels_below = levels_below;
    group.gain = gain;
  }
  compacted.formula.groups = std::move(groups);
  compacted.formula.shape = family.shape;
  compacted.formula.has_plans = levels_below >= 0;
  compacted.rule = family.rule;
  compacted.last = last;
  return compacted;
}

Cost CompactedCosts::OfBlock(const std::string& policy, const CompactedFamily& family,
                             double keys_of_block) {
  const auto keys = static_cast<uint64_t>(std::llround(keys_of_block));
  const TreeShape& shape = family.formula.shape;
  if (policy == "nullptr" || keys == 0 || !shape.last_level_has_filters) {
    return {0, 1};
  }
  const std::string built_by = family.PolicyFor(policy);
  const auto [known, is_new] = known_.try_emplace(
      std::tuple(built_by, keys, shape.table_format, shape.filters_for_memory, family.place.level));
  if (is_new) {
    const uint64_t built = std::min(keys, kMaxTrialKeys);
    known->second = CostOfBuilt(built_by, shape, family.place, built);
    known->second.bytes *= static_cast<double>(keys);
    known->second.bytes /= static_cast<double>(built);
  }
  return known->second;
}

std::string CompactedFamily::PolicyFor(const std::string& policy_text) const {
  return rule == nullptr ? policy_text : rule->PolicyForMean(policy_text, last);
}

std::optional<Cost> CompactedCosts::Of(const std::vector<std::string>& policies) {
  Cost sum;
  for (size_t i = 0; i < families_.size(); ++i) {
    if (policies[i].empty() || !families_[i].rate_is_known) {
      return std::nullopt;
    }
    for (const FileGroup& group : families_[i].formula.groups) {
      const Cost block = OfBlock(policies[i], families_[i], group.keys);
      sum += {block.bytes * group.blocks, block.false_reads * group.asks};
    }
  }
  return sum;
}

}  // namespace winnow::inspect
