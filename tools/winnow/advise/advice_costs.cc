#include "tools/winnow/advise/advice_costs.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "src/core/sizing.h"

namespace winnow::inspect {
namespace {

// Range of rates that Winnow's policy chooses from.
constexpr double kLowestRate = 1.0 / 65536;
constexpr double kHighestRate = 0.5;

// Scales the bits of a plan from `from` to `to` bits per key: rates of a plan are proportional to
// that of bits_per_key, within kLowestRate and kHighestRate.
double ShiftedBits(double bits, double from, double to) {
  if (bits <= 0 || from == to) return bits;
  const double factor = core::RateForBits(to) / core::RateForBits(from);
  return core::BitsForRate(std::clamp(factor * core::RateForBits(bits), kLowestRate, kHighestRate));
}

// Returns the nearest value of bits_per_key for which the policy's code is run on the whole tree;
// larger trees have fewer such values.
double TriedBits(double bits_per_key, size_t files) {
  constexpr size_t kFewFiles = 500;
  constexpr size_t kManyFiles = 2'000;
  if (files <= kFewFiles) return bits_per_key;
  const double step = files <= kManyFiles ? 0.5 : 2;
  return kBitsPerKeyOption.Nearest(step * std::round(bits_per_key / step));
}

// Returns the class of files whose filters cost about the same per key. Classes of small filters
// are narrow, since rounding affects their sizes and rates.
int64_t SizeClass(double keys) {
  constexpr double kExact = 256;
  constexpr double kMany = 5'000;
  constexpr double kAlike = 1.005;
  constexpr double kAlikeOfMany = 1.1;
  if (keys <= kExact) return std::llround(keys);
  const double classes = std::log(std::min(keys, kMany) / kExact) / std::log(kAlike) +
                         std::log(std::max(keys, kMany) / kMany) / std::log(kAlikeOfMany);
  return static_cast<int64_t>(kExact) + std::llround(classes);
}

int64_t BitsClass(double bits) {
  constexpr double kSteps = 16;
  return bits <= 0 ? -1 : std::llround(kSteps * core::RateBits(bits));
}

class Groups {
 public:
  void Add(const FileGroup& file) {
    FileGroup& group = groups_[{file.place.level, file.unfiltered, file.skipped,
                                SizeClass(file.keys), BitsClass(file.bits)}];
    const FileGroup old = std::exchange(group, file);
    const double blocks = old.blocks + file.blocks;
    const auto mean = [&](double of_group, double of_file) {
      return (of_group * old.blocks + of_file * file.blocks) / blocks;
    };
    group.keys = mean(old.keys, file.keys);
    group.bits = mean(old.bits, file.bits);
    group.blocks = blocks;
    group.asks += old.asks;
    group.sure += old.sure;
  }

  std::vector<FileGroup> All() const {
    std::vector<FileGroup> all;
    for (const auto& [key, group] : groups_) all.push_back(group);
    return all;
  }

 private:
  std::map<std::tuple<int, bool, bool, int64_t, int64_t>, FileGroup> groups_;
};

std::string PolicyInForce(const AdvisedFamily& family) {
  const bool none =
      absl::c_all_of(family.files, [](const AdvisedFile& file) { return file.policy.empty(); });
  return !family.shape.policy.empty() ? family.shape.policy : none ? "nullptr" : std::string();
}

// Returns the place where CompactRange() leaves all files; a last level if levels are unknown.
TreePlace LastPlace(const AdvisedFamily& family) {
  int deepest = 1;
  for (const AdvisedFile& file : family.files) deepest = std::max(deepest, file.level.value_or(0));
  const bool on_last_level =
      !family.knows_levels || family.shape.has_dynamic_levels ||
      family.shape.style == ROCKSDB_NAMESPACE::CompactionStyle::kCompactionStyleUniversal;
  TreePlace place;
  place.level = place.base = place.depth =
      on_last_level ? std::max(deepest, family.shape.levels - 1) : deepest;
  place.bottommost = true;
  return place;
}

// Returns the size at which a compaction into `level` cuts its output files.
double TargetBytes(const TreeShape& shape, int level) {
  const auto base = static_cast<double>(std::max<uint64_t>(shape.file_bytes, 1));
  return shape.has_dynamic_levels
             ? base
             : base * std::pow(std::max(shape.file_growth, 1), std::max(level - 1, 0));
}

// Returns true if the file has the target size; false for the last output of a compaction, and for
// files that were cut for another target.
bool IsFull(const AdvisedFile& file, double target) {
  constexpr double kAtMost = 1.1;
  constexpr double kABlockMore = 64 << 10;
  const auto bytes = static_cast<double>(file.data_bytes);
  return bytes >= 0.9 * target && bytes <= kAtMost * target + kABlockMore;
}

// Returns the share of the file's keys in each partition of its filter. `partitions` has their
// keys, or their bytes if keys were not counted.
std::vector<double> SharesOf(const std::vector<uint64_t>& partitions) {
  if (partitions.empty()) return {1};
  const double all = std::max(1.0, absl::c_accumulate(partitions, 0.0));
  std::vector<double> shares;
  for (const uint64_t size : partitions) shares.push_back(static_cast<double>(size) / all);
  return shares;
}

double KeysOf(const std::vector<FileGroup>& groups) {
  double keys = 0;
  for (const FileGroup& group : groups) keys += group.keys * group.blocks;
  return keys;
}

// Returns a random sample of the lookups in the learning half that query any of these files, at
// most as many as a policy counts.
std::vector<uint32_t> SampleLookups(const FamilyLookups& lookups,
                                    const std::vector<size_t>& files) {
  std::vector<bool> asks(lookups.keys.size());
  for (const size_t file : files) {
    for (const uint32_t lookup : lookups.asks[file]) asks[lookup] = lookups.is_to_learn[lookup];
  }
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < asks.size(); ++i) {
    if (asks[i]) all.push_back(i);
  }
  std::vector<uint32_t> sample;
  std::sample(all.begin(), all.end(), std::back_inserter(sample), LearnedTrial::kMaxLookups,
              std::mt19937_64(1));
  return sample;
}

}  // namespace

std::string WinnowText(double bits_per_key) { return absl::StrCat("winnow:", bits_per_key); }

FamilyCosts::FamilyCosts(const AdvisedFamily& family, const FamilyLookups& lookups,
                         double live_share)
    : family_(family), shape_(family.shape), policy_in_force_(PolicyInForce(family)) {
  std::vector<LearnedFile> filtered;
  for (size_t at = 0; at < family.files.size(); ++at) {
    const AdvisedFile& file = family.files[at];
    FileGroup& group = files_.emplace_back();
    group.place = file.place;
    group.blocks = static_cast<double>(std::max<size_t>(file.partitions.size(), 1));
    partitions_.push_back(SharesOf(file.partitions));
    group.keys = static_cast<double>(file.keys) / group.blocks;
    group.asks = static_cast<double>(lookups.asks[at].size());
    group.sure = static_cast<double>(lookups.sure[at]);
    group.unfiltered = file.place.bottommost && !shape_.last_level_has_filters;
    group.skipped = IsFilterSkipped(file, shape_);
    compacted_is_known_ = compacted_is_known_ && !file.has_prefixes_only;
    if (group.unfiltered || file.range.empty || file.keys == 0) continue;
    filtered_.push_back(at);
    filtered.push_back({file.place, file.range.first, file.range.last, file.keys});
  }
  trial_.emplace(shape_, filtered);
  Learn(lookups);
  SetCompacted(lookups, live_share);
}

// Nothing is learned from a few lookups, without the levels of files, nor of prefixes.
void FamilyCosts::Learn(const FamilyLookups& lookups) {
  if (lookups.is_to_learn.empty() || !family_.knows_levels || !compacted_is_known_) return;
  const std::vector<uint32_t> sample = SampleLookups(lookups, filtered_);
  if (sample.size() < LearnedTrial::kMinLookups) return;
  std::vector<std::vector<LearnedTrial::Answer>> answers(sample.size());
  for (size_t i = 0; i < filtered_.size(); ++i) {
    for (const uint32_t lookup : lookups.asks[filtered_[i]]) {
      const auto at = std::lower_bound(sample.begin(), sample.end(), lookup);
      if (at == sample.end() || *at != lookup) continue;
      answers[static_cast<size_t>(at - sample.begin())].push_back({i, false});
    }
  }
  // Lookups are sorted by key, and counts are halved from time to time: in this order the first
  // keys would look cold.
  std::vector<size_t> order(sample.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(sample.size()));
  for (const size_t i : order) trial_->LookUp(lookups.keys[sample[i]], answers[i]);
  const auto judging = static_cast<double>(absl::c_count(lookups.is_to_learn, false));
  const double all_to_judging = static_cast<double>(lookups.keys.size()) / std::max(1.0, judging);
  for (const std::vector<uint32_t>& of_file : lookups.asks) {
    const auto judged =
        absl::c_count_if(of_file, [&](uint32_t lookup) { return !lookups.is_to_learn[lookup]; });
    judged_asks_.push_back(all_to_judging * static_cast<double>(judged));
  }
}

// Sets the files after a full compaction. They have the sizes of the last level's files if those
// have the target file size.
void FamilyCosts::SetCompacted(const FamilyLookups& lookups, double live_share) {
  constexpr double kNearlyAll = 0.99;
  const int last = family_.files.back().level.value_or(0);
  const bool is_one_level = last > 0 && absl::c_all_of(files_, [last](const FileGroup& file) {
                              return file.place.level == last;
                            });
  is_compacted_ = is_one_level && live_share > kNearlyAll && compacted_is_known_;
  if (is_compacted_) {
    compacted_ = files_;
    return;
  }
  const TreePlace place = LastPlace(family_);
  const double target = TargetBytes(shape_, place.level);
  Groups full;
  double keys = 0;
  double bytes = 0;
  double partitions = 0;
  double partitioned_keys = 0;
  for (size_t at = 0; at < files_.size(); ++at) {
    const AdvisedFile& file = family_.files[at];
    keys += live_share * static_cast<double>(file.keys);
    bytes += live_share * static_cast<double>(file.data_bytes);
    partitions += static_cast<double>(file.partitions.size());
    partitioned_keys += file.partitions.empty() ? 0 : static_cast<double>(file.keys);
    if (last > 0 && files_[at].place.level == last && IsFull(file, target)) full.Add(files_[at]);
  }
  compacted_ = full.All();
  if (compacted_.empty() || bytes < target) {
    FileGroup group;
    group.blocks = partitions > 0 ? std::max(1.0, keys * partitions / partitioned_keys)
                                  : std::max(1.0, std::ceil(bytes / target));
    group.keys = keys / group.blocks;
    compacted_ = {group};
  }
  const double of_groups = std::max(1.0, KeysOf(compacted_));
  for (FileGroup& group : compacted_) {
    group.place = place;
    group.unfiltered = group.skipped = !shape_.last_level_has_filters;
    group.asks = static_cast<double>(lookups.asks_of_one) * group.keys * group.blocks / of_groups;
    group.sure = 0;
    group.blocks *= keys / of_groups;
  }
}

double FamilyCosts::keys_compacted() const { return KeysOf(compacted_); }

bool FamilyCosts::AllAreUnfiltered() const {
  return absl::c_all_of(files_, [](const FileGroup& file) { return file.unfiltered; });
}

bool FamilyCosts::SomeAreUnfiltered() const {
  return absl::c_any_of(files_, [](const FileGroup& file) { return file.unfiltered; });
}

const std::optional<PolicyOptions>& FamilyCosts::WinnowOf(const std::string& policy) {
  const auto [known, is_new] = winnow_.try_emplace(policy);
  if (is_new) known->second = WinnowPolicyOf(policy);
  return known->second;
}

PolicyOptions FamilyCosts::Tried(const PolicyOptions& winnow) const {
  PolicyOptions tried = winnow;
  tried.bits_per_key = TriedBits(winnow.bits_per_key, files_.size());
  tried.filter_memory = 0;
  return tried;
}

const std::vector<double>& FamilyCosts::BitsUnder(const PolicyOptions& tried) {
  const auto [known, is_new] = bits_.try_emplace(ShortText(tried));
  std::vector<double>& bits = known->second;
  if (!is_new) return bits;
  const std::vector<double> of_filtered = trial_->BitsOnceWritten(tried);
  bits.assign(files_.size(), 0);
  for (size_t i = 0; i < filtered_.size(); ++i) bits[filtered_[i]] = of_filtered[i];
  return bits;
}

double FamilyCosts::BitsOf(const std::string& policy, size_t at) {
  const std::optional<PolicyOptions>& winnow = WinnowOf(policy);
  if (!winnow) return 0;
  const PolicyOptions tried = Tried(*winnow);
  return ShiftedBits(BitsUnder(tried)[at], tried.bits_per_key, winnow->bits_per_key);
}

FilterCost FamilyCosts::CostOfBlock(const std::string& policy, size_t at, double keys) {
  return CostOfBlock(policy, files_[at], BitsOf(policy, at), keys);
}

FilterCost FamilyCosts::CostOfBlock(const std::string& policy, const FileGroup& group, double bits,
                                    double keys) {
  if (group.unfiltered) return {};
  const std::optional<PolicyOptions>& winnow = WinnowOf(policy);
  return winnow ? CostOfWinnow(*winnow, shape_, group.place, bits, keys)
                : built_.CostOf(policy, shape_, group.place, keys);
}

const std::vector<FileGroup>& FamilyCosts::GroupsUnder(const std::optional<PolicyOptions>& winnow) {
  const std::string key = winnow ? ShortText(Tried(*winnow)) : std::string();
  const auto [known, is_new] = groups_.try_emplace(key);
  if (!is_new) return known->second;
  const std::vector<double>* const bits = winnow ? &BitsUnder(Tried(*winnow)) : nullptr;
  const bool learns = winnow && winnow->level_plan != LevelPlan::kUniform && !judged_asks_.empty();
  Groups groups;
  for (size_t at = 0; at < files_.size(); ++at) {
    FileGroup file = files_[at];
    if (bits != nullptr) file.bits = (*bits)[at];
    if (learns) file.asks = judged_asks_[at];
    const double keys = file.keys * file.blocks;
    file.blocks = 1;
    for (const double share : partitions_[at]) {
      FileGroup block = file;
      block.keys = share * keys;
      block.asks = share * file.asks;
      block.sure = share * file.sure;
      groups.Add(block);
    }
  }
  return known->second = groups.All();
}

Cost FamilyCosts::Sum(const std::string& policy, const std::vector<FileGroup>& groups) {
  const std::optional<PolicyOptions>& winnow = WinnowOf(policy);
  Cost sum;
  for (const FileGroup& group : groups) {
    const double bits =
        winnow ? ShiftedBits(group.bits, Tried(*winnow).bits_per_key, winnow->bits_per_key) : 0;
    const FilterCost block = CostOfBlock(policy, group, bits, group.keys);
    const double rate = group.skipped ? 1 : block.rate;
    sum += {block.bytes * group.blocks, group.sure + rate * (group.asks - group.sure)};
  }
  return sum;
}

Cost FamilyCosts::Of(const std::string& policy) {
  const auto [known, is_new] = costs_.try_emplace(policy);
  if (is_new) known->second = Sum(policy, GroupsUnder(WinnowOf(policy)));
  return known->second;
}

// Returns the bits per key of the files of one level, which has all keys.
double FamilyCosts::CompactedBits(const std::string& policy) {
  if (compacted_.front().unfiltered) return 0;
  const LearnedFile alone = {compacted_.front().place, "a", "b", 1};
  return LearnedTrial(shape_, {alone}).BitsOnceWritten(Tried(*WinnowOf(policy)))[0];
}

std::optional<Cost> FamilyCosts::CompactedOf(const std::string& policy) {
  if (policy.empty() || !compacted_is_known_) return std::nullopt;
  if (is_compacted_) return Of(policy);
  std::vector<FileGroup> groups = compacted_;
  if (WinnowOf(policy)) {
    const double bits = CompactedBits(policy);
    for (FileGroup& group : groups) group.bits = bits;
  }
  return Sum(policy, groups);
}

}  // namespace winnow::inspect
