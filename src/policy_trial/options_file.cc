#include "src/policy_trial/options_file.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/options.h>

#include <optional>

#include "src/database/loaded_options.h"
#include "src/database/options_path.h"
#include "src/database/options_text.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;

// Returns the options that RocksDB loads for a family; its defaults if it loads none.
ColumnFamilyOptions OptionsOf(const std::vector<ColumnFamilyDescriptor>& families,
                              const std::string& name) {
  for (const ColumnFamilyDescriptor& family : families) {
    if (family.name == name) return family.options;
  }
  return {};
}

// Returns the policy that RocksDB has in force for a family; empty for none.
std::string PolicyInForce(const ColumnFamilyOptions& family) {
  const auto* const table = TableOptionsOf(family);
  return table == nullptr ? std::string() : DescribePolicy(table->filter_policy);
}

FamilyPolicy Judge(const FamilyText& asked, bool with_trials, const std::optional<TrialFile>& file,
                   bool last_level_has_filters) {
  FamilyPolicy family;
  family.name = asked.name;
  family.no_filter_asked_for = !asked.policy || *asked.policy == "nullptr" || asked.policy->empty();
  if (!family.no_filter_asked_for) {
    family.verdict = CheckPolicyOfFile(*asked.policy, with_trials, file, last_level_has_filters);
  } else {
    family.verdict.asked = asked.policy.value_or(std::string());
  }
  family.ranges = RangeOptionsOf(family.verdict.in_force, asked);
  return family;
}

void CompareWithForce(const std::string& in_force, FamilyPolicy* family) {
  PolicyVerdict& verdict = family->verdict;
  if (family->no_filter_asked_for || !verdict.problem.empty() || in_force == verdict.in_force) {
    return;
  }
  verdict.outcome = in_force.empty() ? PolicyOutcome::kNoPolicy : PolicyOutcome::kOtherPolicy;
  verdict.in_force = in_force;
  verdict.problem =
      absl::StrCat("RocksDB accepts the policy alone, but when it loads this file it has ",
                   in_force.empty() ? "no filter policy" : in_force, " in force.");
}

}  // namespace

OptionsFileReport CheckOptionsFile(const std::string& path, bool with_trials,
                                   const std::optional<TrialFile>& file) {
  OptionsFileReport report;
  const OptionsPath found = FindOptionsFile(path);
  report.path = found.path;
  report.error = found.error;
  std::vector<FamilyText> families;
  if (report.error.empty()) {
    report.error = ReadFamilies(report.path, &families);
  }
  if (!report.error.empty()) {
    return report;
  }
  if (families.empty()) {
    report.error = absl::StrCat("'", report.path,
                                "' is not a RocksDB options file: it has no section [CFOptions]");
    return report;
  }
  std::vector<ColumnFamilyDescriptor> loaded;
  const std::string refusal = LoadFamilies(report.path, &loaded);
  bool all_well = true;
  for (const FamilyText& asked : families) {
    report.families.push_back(
        Judge(asked, with_trials, file, !OptionsOf(loaded, asked.name).optimize_filters_for_hits));
    all_well = all_well && report.families.back().verdict.problem.empty();
  }
  if (refusal.empty()) {
    for (FamilyPolicy& family : report.families) {
      CompareWithForce(PolicyInForce(OptionsOf(loaded, family.name)), &family);
    }
  } else if (all_well) {  // otherwise reported with a policy
    report.error = absl::StrCat("RocksDB refuses the file '", report.path, "': ", refusal);
  }
  return report;
}

}  // namespace winnow::inspect
