#include "db_bench_ext/read_amplification/report/thresholds.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <vector>

#include "db_bench_ext/read_amplification/report/readamp_comparison.h"

namespace winnow::bench {
namespace {

using inspect::PolicyResult;
using inspect::Ratio;
using inspect::WorkloadCounts;

struct Figure {
  const char* name;
  double threshold;  // 0: none
  double policy;
  double reference;
};

WorkloadCounts AbsentCounts(const PolicyResult& policy) {
  const auto found = std::find_if(
      policy.workloads.begin(), policy.workloads.end(),
      [](const inspect::WorkloadResult& workload) { return workload.counts.found == 0; });
  return found == policy.workloads.end() ? WorkloadCounts{} : found->counts;
}

}  // namespace

ThresholdsKept CheckThresholds(const inspect::ReadAmplification& run,
                               const Thresholds& thresholds) {
  const PolicyResult& policy = run.policies.back();
  const PolicyResult& reference = run.policies[inspect::Compare(run.policies).reference];
  if (&policy == &reference) {
    return {false, absl::StrCat("nothing can be checked of ", policy.policy,
                                ", since it is what other policies are compared with: the policy "
                                "to check has to come last, after another")};
  }
  if (!inspect::SameTree(policy, reference)) {
    return {false,
            absl::StrFormat(
                "there is no verdict on %s, as its tree is not that of %s: keys per level "
                "differ by up to %.1f %%, files considered per lookup by up to %.1f %%, "
                "and only %.0f %% are the same tree.",
                policy.policy, reference.policy,
                100 * inspect::LevelDifference(policy.tree, reference.tree),
                100 * inspect::FilesConsideredDifference(policy, reference), 100 * inspect::kSame)};
  }
  const WorkloadCounts ours = AbsentCounts(policy);
  const WorkloadCounts theirs = AbsentCounts(reference);
  const Figure figures[] = {
      {"the false positives per filter check", thresholds.false_positives_per_check,
       inspect::FalsePositiveRate(ours), inspect::FalsePositiveRate(theirs)},
      {"the block reads per absent key", thresholds.block_reads_per_lookup,
       Ratio(ours.data_blocks_accessed, ours.lookups),
       Ratio(theirs.data_blocks_accessed, theirs.lookups)},
      {"the filter memory", thresholds.filter_memory, static_cast<double>(policy.filter_bytes),
       static_cast<double>(reference.filter_bytes)},
  };

  ThresholdsKept result;
  result.kept = true;
  std::vector<std::string> parts;
  for (const Figure& figure : figures) {
    if (figure.threshold <= 0) continue;
    if (figure.reference <= 0 || policy.filter_bytes == 0) {
      result.kept = false;
      parts.push_back(absl::StrCat(figure.name, ", which can't be compared: one of the two is 0"));
      continue;
    }
    const double ratio = figure.policy / figure.reference;
    const bool kept = ratio <= figure.threshold;
    result.kept = result.kept && kept;
    parts.push_back(absl::StrFormat("%.3f times %s (%s %g)", ratio, figure.name,
                                    kept ? "promised: at most" : "MORE than the promised",
                                    figure.threshold));
  }
  result.sentence =
      absl::StrCat(policy.policy, result.kept ? " keeps its promises" : " breaks its promises",
                   ": to ", reference.policy, " it has ", absl::StrJoin(parts, ", "));
  result.sentence += ".";
  return result;
}

}  // namespace winnow::bench
