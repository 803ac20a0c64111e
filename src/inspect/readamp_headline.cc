#include "src/inspect/readamp_headline.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <optional>

#include "src/inspect/policy_text.h"
#include "src/inspect/rate_interval.h"
#include "src/inspect/svg_text.h"

namespace winnow::inspect {
namespace {

// "with 31 % less filter memory"
std::string MemoryPhrase(double ratio) {
  if (ratio >= 1 - kSame && ratio <= 1 + kSame) return "with the same filter memory within 2 %";
  return absl::StrFormat("with %.0f %% %s filter memory", 100 * (ratio < 1 ? 1 - ratio : ratio - 1),
                         ratio < 1 ? "less" : "more");
}

// "reads 12 % fewer blocks for nothing than X"
std::string ReadsPhrase(double ratio, const Interval& interval, const std::string& reference) {
  if (interval.low <= 1 && interval.high >= 1) {
    return absl::StrCat("reads about as many blocks for nothing as ", reference);
  }
  if (ratio <= 0.5) {
    return absl::StrCat("reads 1/", Figure(1 / ratio), " of the blocks for nothing that ",
                        reference, " reads");
  }
  if (ratio < 2) {
    return absl::StrFormat("reads %.0f %% %s blocks for nothing than %s",
                           100 * (ratio < 1 ? 1 - ratio : ratio - 1), ratio < 1 ? "fewer" : "more",
                           reference);
  }
  return absl::StrCat("reads ", Figure(ratio), " times as many blocks for nothing as ", reference);
}

const PolicyResult* LastWithFilters(const ReadAmplification& run) {
  for (auto policy = run.policies.rbegin(); policy != run.policies.rend(); ++policy) {
    if (policy->filter_bytes > 0) return &*policy;
  }
  return nullptr;
}

std::string RateOf(const PolicyResult& policy, const WorkloadCounts& counts) {
  const Interval interval =
      PoissonInterval(counts.false_positive_block_reads, DecidedLookups(counts));
  return absl::StrCat(policy.policy, " ",
                      Figure(Ratio(counts.false_positive_block_reads, DecidedLookups(counts))),
                      " (", Figure(interval.low), " to ", Figure(interval.high), ")");
}

std::string DiskSentence(const ReadAmplification& run, const PolicyResult& ours,
                         const PolicyResult& theirs, size_t w) {
  const WorkloadCounts& a = ours.workloads[w].counts;
  const WorkloadCounts& b = theirs.workloads[w].counts;
  const std::string cache =
      run.cache_size == 0
          ? "Without a block cache"
          : absl::StrCat("False reads need not reach the disk: with a block cache of ",
                         ByteSize(static_cast<double>(run.cache_size)));
  return absl::StrCat(cache, ", ", ours.policy, " reads ",
                      Figure(Ratio(a.data_blocks_read, a.lookups)),
                      " data blocks a lookup from the file and ", theirs.policy, " ",
                      Figure(Ratio(b.data_blocks_read, b.lookups)), ".");
}

}  // namespace

size_t LeadingWorkload(const ReadAmplification& run) {
  const std::vector<WorkloadResult>& workloads = run.policies[0].workloads;
  for (size_t w = 0; w < workloads.size(); ++w) {
    if (AllAbsent(workloads[w].counts)) return w;
  }
  return 0;
}

ReadampFinding FindingOf(const ReadAmplification& run) {
  const PolicyResult& reference = run.policies[Compare(run.policies).reference];
  const PolicyResult* ours = LastWithFilters(run);
  if (ours == nullptr) return {"No policy of this run has filters.", {}};
  if (ours == &reference || reference.filter_bytes == 0 || ours->workloads.empty()) {
    return {absl::StrCat("What ", ours->policy,
                         " takes and saves, with no policy to compare it "
                         "with."),
            {}};
  }
  const double difference = LevelDifference(ours->tree, reference.tree);
  if (difference > kSame) {
    return {
        absl::StrFormat("No verdict: the trees of %s and %s differ.", ours->policy,
                        reference.policy),
        {absl::StrFormat("Their keys per level differ by up to %.1f %%, where 2 %% is the limit "
                         "for a fair comparison of what a lookup reads.",
                         100 * difference)}};
  }
  const size_t w = LeadingWorkload(run);
  const WorkloadCounts& a = ours->workloads[w].counts;
  const WorkloadCounts& b = reference.workloads[w].counts;
  const std::string memory = MemoryPhrase(Ratio(ours->filter_bytes, reference.filter_bytes));
  const std::optional<Interval> interval =
      RatioInterval(a.false_positive_block_reads, b.false_positive_block_reads);
  std::vector<std::string> asked;
  for (const PolicyResult& policy : run.policies) asked.push_back(policy.policy);
  constexpr size_t kLongestName = 40;
  const std::vector<std::string> names = PolicyLabels(asked, kLongestName);
  const std::string& our_name = names[static_cast<size_t>(ours - run.policies.data())];
  const std::string& their_name = names[static_cast<size_t>(&reference - run.policies.data())];
  ReadampFinding finding;
  finding.lead = {
      absl::StrCat("False reads a lookup in ", ours->workloads[w].name, ": ", RateOf(*ours, a),
                   ", ", RateOf(reference, b), "; in brackets the 95 % interval."),
      DiskSentence(run, *ours, reference, w)};
  if (!interval) {
    finding.headline = absl::StrCat("Too few false reads to compare ", our_name, " with ",
                                    their_name, ", ", memory, ".");
    finding.lead.front() += " More lookups would tell.";
    return finding;
  }
  const double ratio = Ratio(a.false_positive_block_reads, b.false_positive_block_reads);
  finding.headline =
      absl::StrCat(our_name, " ", ReadsPhrase(ratio, *interval, their_name), ", ", memory, ".");
  return finding;
}

}  // namespace winnow::inspect
