#include "db_bench_ext/read_amplification/trees/planned_filters.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <rocksdb/convenience.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/family/family.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/trees/context.h"

namespace winnow::bench {
namespace {

// Tolerance of rates: the filter's trailer has log2(1/rate) in units of 1/2048.
constexpr double kSameRate = 0.001;

FilterOptions OptionsOf(const PolicyOptions& policy, double size_ratio,
                        const inspect::BuiltFor& built_for) {
  FilterOptions options;
  options.bits_per_key = policy.bits_per_key;
  options.ribbon_min_keys = policy.ribbon_min_keys;
  options.level_plan = plugin::PlanInForce(policy.level_plan);
  options.level_size_ratio = size_ratio;
  options.absent_share = plugin::AbsentShareInForce(policy);
  options.levels_below = built_for.levels_below;
  return core::ForBuilding(options);
}

bool MayHaveRate(const PolicyOptions& policy, double levels_below, double planned, double found) {
  const double uniform = core::RateForBits(policy.bits_per_key);
  double least = planned;
  double most = planned;
  if (policy.level_plan != LevelPlan::kUniform) {
    most = std::max(planned, uniform);  // the upper bound applies if memory is limited
    if (levels_below < 0) {             // depends on the other files, or on lookups
      least = std::exp2(-family::kMostBits);
      most = std::max(uniform, std::exp2(-family::kLeastBits));
    }
  }
  return found > least * (1 - kSameRate) && found < most * (1 + kSameRate);
}

absl::Status Refuse(const std::string& path, const std::string& what, const std::string& expected,
                    const std::string& found) {
  return absl::FailedPreconditionError(
      absl::StrCat("the filter of ", path, " is not what its policy plans: its ", what, " is ",
                   found, ", where ", expected, " was expected"));
}

}  // namespace

absl::StatusOr<PolicyOptions> PolicyOptionsOf(const rocksdb::FilterPolicy& policy) {
  PolicyOptions options;
  for (const std::string& name : plugin::PolicyOptionNameList()) {
    std::string text;
    rocksdb::Status status = policy.GetOption(rocksdb::ConfigOptions(), name, &text);
    if (status.ok()) status = plugin::ParsePolicyOption(name, text, &options);
    if (!status.ok()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the policy ", policy.Name(), " does not tell its ", name, ": ", status.ToString()));
    }
  }
  return options;
}

absl::Status CheckPlanned(const PolicyOptions& policy, double size_ratio, const std::string& path,
                          const inspect::FilterSummary& filter) {
  if (!filter.built_for || filter.keys == 0 || policy.build != Build::kWinnow) {
    return absl::OkStatus();
  }
  const inspect::BuiltFor& found = *filter.built_for;
  const std::string plan(ToString(plugin::PlanInForce(policy.level_plan)));
  if (found.level_plan != plan) return Refuse(path, "level plan", plan, found.level_plan);
  const FilterOptions options = OptionsOf(policy, size_ratio, found);
  const double rate = core::RateForBits(options.bits_per_key);
  if (!MayHaveRate(policy, found.levels_below, rate, found.target_fpr)) {
    return Refuse(path, "target rate", absl::StrFormat("%.3g", rate),
                  absl::StrFormat("%.3g (built for level %d, %g levels below)", found.target_fpr,
                                  found.level, found.levels_below));
  }
  // A filter does not record whether its file counts as a flush: with bloom_before_level, both
  // kinds are possible.
  const bool has_planned_rate = std::abs(found.target_fpr / rate - 1) <= kSameRate;
  const bool by_keys_alone = has_planned_rate && policy.bloom_before_level < 0 &&
                             filter.partitions == 0 && !filter.is_single();
  const std::string_view name = inspect::NameOf(core::PlanFilter(filter.keys, options).kind);
  if (by_keys_alone && filter.kind != name) {
    return Refuse(path, absl::StrCat("kind, of ", filter.keys, " keys,"), std::string(name),
                  filter.kind);
  }
  return absl::OkStatus();
}

}  // namespace winnow::bench
