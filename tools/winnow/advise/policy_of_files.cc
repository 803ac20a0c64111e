#include "tools/winnow/advise/policy_of_files.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>

#include "src/core/sizing.h"
#include "src/policy_trial/learned_trial.h"
#include "src/sst/sst_filters.h"

namespace winnow::inspect {
namespace {

bool IsOfPreload(const AdvisedFile& file) {
  return file.built_for && file.built_for->target_fpr > 0 && file.policy != kWinnowPolicy;
}

const AdvisedFile* NewestWithFilter(const AdvisedFamily& family) {
  const AdvisedFile* newest = nullptr;
  for (const AdvisedFile& file : family.files) {
    if (file.filter_bytes == 0) continue;
    if (newest == nullptr || NumberOf(file) > NumberOf(*newest)) newest = &file;
  }
  return newest;
}

// Returns the level plan that filters note. Those of other plans than uniform note that plan only
// once the policy knows more than one level.
std::string PlanByNotes(const AdvisedFamily& family) {
  std::set<int> levels;
  for (const AdvisedFile& file : family.files) {
    levels.insert(file.level.value_or(-1));
    if (IsOfPreload(file) && file.built_for->level_plan != "uniform") {
      return file.built_for->level_plan;
    }
  }
  return levels.size() > 1 ? "uniform" : "auto";
}

// Returns the bits per key with which the policy gives these files the rates that they note, on
// average over keys: rates of a plan are proportional to that of bits_per_key.
double BitsByNotes(const PolicyOptions& policy, const AdvisedFamily& family) {
  std::vector<const AdvisedFile*> filtered;
  std::vector<LearnedFile> placed;
  for (const AdvisedFile& file : family.files) {
    if (file.filter_bytes == 0 || file.range.empty || file.keys == 0) continue;
    filtered.push_back(&file);
    placed.push_back({file.place, file.range.first, file.range.last, file.keys});
  }
  const std::vector<double> bits = LearnedTrial(family.shape, placed).BitsOnceWritten(policy);
  double keys = 0;
  double log2_factor = 0;
  for (size_t i = 0; i < filtered.size(); ++i) {
    if (!IsOfPreload(*filtered[i]) || bits[i] <= 0) continue;
    const auto weight = static_cast<double>(filtered[i]->keys);
    keys += weight;
    log2_factor +=
        weight * std::log2(filtered[i]->built_for->target_fpr / core::RateForBits(bits[i]));
  }
  if (keys == 0) return policy.bits_per_key;
  return core::BitsForRate(
      std::min(0.5, core::RateForBits(policy.bits_per_key) * std::exp2(log2_factor / keys)));
}

}  // namespace

std::string PolicyOfFiles(const AdvisedFamily& family) {
  constexpr double kStep = 0.05;
  if (family.database.empty() || !family.shape_problem.empty()) return {};
  const AdvisedFile* const newest = NewestWithFilter(family);
  if (newest == nullptr || !IsOfPreload(*newest) || WinnowPolicyOf(family.shape.policy)) return {};
  PolicyOptions policy;
  const std::string plan = PlanByNotes(family);
  if (plan == "uniform") {
    policy.level_plan = LevelPlan::kUniform;
    policy.bits_per_key = core::BitsForRate(newest->built_for->target_fpr);
  } else {
    policy.bits_per_key = BitsByNotes(policy, family);
  }
  policy.bits_per_key = kBitsPerKeyOption.Nearest(kStep * std::round(policy.bits_per_key / kStep));
  policy.range_bits = newest->range_bits;
  const bool is_plain = policy.level_plan == LevelPlan::kAuto && policy.range_bits == 0;
  return is_plain ? WinnowText(policy.bits_per_key) : ShortText(policy);
}

}  // namespace winnow::inspect
