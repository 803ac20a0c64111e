#include "tools/winnow/advise/advice_compacted.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/sst/sst_filters.h"

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

}  // namespace

CompactedFamily OnceCompacted(const AdvisedFamily& family, const std::vector<AdvisedFile>& files,
                              double live_share, uint64_t asks_of_one,
                              const std::vector<uint64_t>& asks) {
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
      FormulaOf(family, files, compacted.is_already ? last : full, asks).groups;
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
  double levels_below[2] = {-1, -1};
  if (family.shape.last_level_has_filters) {
    levels_below[0] = LevelsBelowOf("by_level", family.shape, compacted.place);
    levels_below[1] = LevelsBelowOf("auto", family.shape, compacted.place);
  }
  for (FileGroup& group : groups) {
    group.unfiltered = !family.shape.last_level_has_filters;
    std::copy(levels_below, levels_below + 2, group.levels_below);
  }
  compacted.formula.groups = std::move(groups);
  compacted.formula.shape = family.shape;
  compacted.formula.has_plans = levels_below[0] >= 0 || levels_below[1] >= 0;
  return compacted;
}

Cost CompactedCosts::OfBlock(const std::string& policy, const CompactedFamily& family,
                             double keys_of_block) {
  const auto keys = static_cast<uint64_t>(std::llround(keys_of_block));
  const TreeShape& shape = family.formula.shape;
  if (policy == "nullptr" || keys == 0 || !shape.last_level_has_filters) {
    return {0, 1};
  }
  const auto [known, is_new] = known_.try_emplace(
      std::tuple(policy, keys, shape.table_format, shape.filters_for_memory, family.place.level));
  if (is_new) {
    const uint64_t built = std::min(keys, kMostTrialKeys);
    const std::string block = TrialBlock(policy, shape, family.place, built);
    const double rate = block.empty() ? 1 : ClassifyBlock(block, built).expected_fpr.value_or(1);
    known->second = {
        static_cast<double>(block.size()) * static_cast<double>(keys) / static_cast<double>(built),
        rate};
  }
  return known->second;
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
