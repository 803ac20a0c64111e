#include "src/inspect/advice_compacted.h"

#include <algorithm>
#include <cmath>

#include "src/inspect/sst_filters.h"

namespace winnow::inspect {
namespace {

// A filter of more keys has the rate and the bits a key of one of so many.
constexpr uint64_t kMostTrialKeys = 100'000;

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

}  // namespace

CompactedFamily OnceCompacted(const AdvisedFamily& family, const std::vector<AdvisedFile>& files,
                              double live_share, uint64_t asks) {
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
    bytes += live_share * static_cast<double>(file.bytes);
    partitioned_keys += file.partitions > 0 ? static_cast<double>(file.keys) : 0;
    partitions += static_cast<double>(file.partitions);
    compacted.rate_is_known = compacted.rate_is_known && !file.has_prefixes_only;
  }
  FileGroup group;
  const auto target = static_cast<double>(std::max<uint64_t>(family.shape.file_bytes, 1));
  group.blocks = partitions > 0 ? std::max(1.0, keys * partitions / partitioned_keys)
                                : std::max(1.0, std::ceil(bytes / target));
  group.keys = keys / group.blocks;
  group.asks = static_cast<double>(asks);
  group.unfiltered = !family.shape.last_level_has_filters;
  if (!group.unfiltered) {
    group.levels_below[0] = LevelsBelowOf("by_level", family.shape, compacted.place);
    group.levels_below[1] = LevelsBelowOf("auto", family.shape, compacted.place);
  }
  compacted.formula.groups = {group};
  compacted.formula.shape = family.shape;
  compacted.formula.has_plans = group.levels_below[0] >= 0 || group.levels_below[1] >= 0;
  return compacted;
}

std::optional<Cost> CompactedCosts::OfBlock(const std::string& policy,
                                            const CompactedFamily& family) {
  const auto keys = static_cast<uint64_t>(std::llround(family.formula.groups.front().keys));
  const TreeShape& shape = family.formula.shape;
  if (policy.empty() || policy == "nullptr" || keys == 0 || !shape.last_level_has_filters) {
    return policy.empty() ? std::nullopt : std::optional<Cost>({0, 1});
  }
  const auto [known, is_new] = known_.try_emplace(
      std::tuple(policy, keys, shape.table_format, shape.filters_for_memory, family.place.level));
  if (is_new) {
    const uint64_t built = std::min(keys, kMostTrialKeys);
    const std::string block = TrialBlock(policy, shape, family.place, built);
    const double rate = block.empty() ? 1 : ClassifyBlock(block, built).expected_fpr.value_or(1);
    known->second = Cost{
        static_cast<double>(block.size()) * static_cast<double>(keys) / static_cast<double>(built),
        rate};
  }
  return known->second;
}

std::optional<Cost> CompactedCosts::Of(const std::vector<std::string>& policies) {
  Cost sum;
  for (size_t i = 0; i < families_.size(); ++i) {
    const FileGroup& group = families_[i].formula.groups.front();
    const std::optional<Cost> block = OfBlock(policies[i], families_[i]);
    if (!block || !families_[i].rate_is_known) {
      return std::nullopt;
    }
    sum += {block->bytes * group.blocks, block->false_reads * group.asks};
  }
  return sum;
}

}  // namespace winnow::inspect
