#include "db_bench_ext/read_amplification/report/readamp_headline.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <optional>

#include "db_bench_ext/read_amplification/report/policy_text.h"
#include "src/text/numbers.h"
#include "src/text/rate_interval.h"

namespace winnow::inspect {
namespace {

// Returns, for example, "with 31 % less filter memory".
std::string MemoryPhrase(double ratio) {
  if (ratio >= 1 - kSame && ratio <= 1 + kSame) return "with the same filter memory within 2 %";
  return absl::StrFormat("with %.0f %% %s filter memory", 100 * (ratio < 1 ? 1 - ratio : ratio - 1),
                         ratio < 1 ? "less" : "more");
}

// Returns, for example, "makes 12 % fewer false reads than X".
std::string ReadsPhrase(double ratio, const Interval& interval, const std::string& reference) {
  if (interval.low <= 1 && interval.high >= 1) {
    return absl::StrCat("makes about as many false reads as ", reference);
  }
  constexpr double kTooFewForPercent = 0.2;
  if (ratio <= kTooFewForPercent) {
    return absl::StrCat("makes 1/", Figure(1 / ratio), " of the false reads of ", reference);
  }
  if (ratio < 2) {
    return absl::StrFormat("makes %.0f %% %s false reads than %s",
                           100 * (ratio < 1 ? 1 - ratio : ratio - 1), ratio < 1 ? "fewer" : "more",
                           reference);
  }
  return absl::StrCat("makes ", Figure(ratio), " times as many false reads as ", reference);
}

const PolicyResult* LastWithFilters(const ReadAmplification& run) {
  for (auto policy = run.policies.rbegin(); policy != run.policies.rend(); ++policy) {
    if (policy->filter_bytes > 0) return &*policy;
  }
  return nullptr;
}

// Returns whether one of two numbers of reads is 0 and the other is too large for chance: their
// ratio is then meaningless.
bool OneHasNone(uint64_t a, uint64_t b) {
  constexpr uint64_t kNoChance = 20;
  return std::min(a, b) == 0 && std::max(a, b) >= kNoChance;
}

bool ReadsLess(const PolicyResult& a, const PolicyResult& b, size_t w) {
  const uint64_t ours = ReadsForAbsentKeys(a.workloads[w].counts);
  const uint64_t theirs = ReadsForAbsentKeys(b.workloads[w].counts);
  const std::optional<Interval> interval = RatioInterval(ours, theirs);
  const bool differ = interval ? interval->low > 1 || interval->high < 1 : OneHasNone(ours, theirs);
  return differ ? ours < theirs : a.filter_bytes < b.filter_bytes;
}

// Returns the best policy, or null without filters.
const PolicyResult* Best(const ReadAmplification& run, const PolicyResult& reference) {
  const PolicyResult* best = nullptr;
  for (const PolicyResult& policy : run.policies) {
    const bool may_lead = &policy != &reference && policy.filter_bytes > 0 &&
                          Ratio(policy.filter_bytes, reference.filter_bytes) <= 1 + kSame &&
                          !policy.workloads.empty() && SameTree(policy, reference);
    if (may_lead && (best == nullptr || ReadsLess(policy, *best, LeadingWorkload(run)))) {
      best = &policy;
    }
  }
  return best == nullptr ? LastWithFilters(run) : best;
}

Interval ReadsInterval(const WorkloadCounts& counts) {
  return PoissonInterval(ReadsForAbsentKeys(counts), DecidedLookups(counts));
}

std::string RateOf(const std::string& policy, const WorkloadCounts& counts) {
  const Interval interval = ReadsInterval(counts);
  return absl::StrCat(policy, " ", Figure(ReadsForAbsentKeysPerLookup(counts)), " (",
                      Figure(interval.low), " to ", Figure(interval.high), ")");
}

std::string FromFile(const PolicyResult& policy, size_t w) {
  const WorkloadCounts& counts = policy.workloads[w].counts;
  return Figure(Ratio(counts.data_blocks_read, counts.lookups));
}

std::string Cache(const ReadAmplification& run) {
  return run.cache_size == 0
             ? "Without a block cache"
             : absl::StrCat("False reads need not reach the disk: with a block cache of ",
                            ByteSize(static_cast<double>(run.cache_size)));
}

std::string Bits(const PolicyResult& policy) {
  return absl::StrFormat("%.2f filter bits per key", FilterBitsPerKey(policy));
}

using Names = std::vector<std::string>;

std::string Name(const ReadAmplification& run, const Names& names, const PolicyResult& policy) {
  return run.database.empty() ? names[static_cast<size_t>(&policy - run.policies.data())]
                              : "The database";
}

// Returns the costs and savings of the only policy with filters, or of the first policy if none has
// filters.
ReadampFinding FindingOfOne(const ReadAmplification& run, const Names& names,
                            const PolicyResult& policy) {
  const std::string name = Name(run, names, policy);
  if (policy.workloads.empty()) {
    return {absl::StrCat(name, " has ", Bits(policy), ", ",
                         ByteSize(static_cast<double>(policy.filter_bytes)), "."),
            {}};
  }
  const size_t w = LeadingWorkload(run);
  const WorkloadResult& workload = policy.workloads[w];
  const WorkloadCounts& counts = workload.counts;
  if (policy.filter_bytes == 0) {
    return {absl::StrCat(name, " has no filters and reads ",
                         Figure(Ratio(counts.data_blocks_accessed, counts.lookups)),
                         " data blocks a lookup in ", workload.name, "."),
            {}};
  }
  const Interval interval = ReadsInterval(counts);
  return {absl::StrCat(name, " makes ", Figure(ReadsForAbsentKeysPerLookup(counts)),
                       " false reads a lookup in ", workload.name, ", with ", Bits(policy), "."),
          {absl::StrCat("The 95 % interval of these false reads is ", Figure(interval.low), " to ",
                        Figure(interval.high), "."),
           absl::StrCat(Cache(run), ", ", FromFile(policy, w),
                        " data blocks a lookup come from the file.")}};
}

ReadampFinding NoVerdict(const std::string& ours, const std::string& theirs, double difference) {
  return {absl::StrFormat("No verdict: the trees of %s and %s differ by %.1f %%.", ours, theirs,
                          100 * difference),
          {"That is the largest difference of the keys on a level; 2 % is the limit for a fair "
           "comparison of what a lookup reads."}};
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
  return FindingOf(run, [](const std::string& policy) { return policy; });
}

ReadampFinding FindingOf(const ReadAmplification& run, const PolicyName& name_of) {
  constexpr size_t kLongest = 45;  // fits {id=winnow;bits_per_key=10;level_plan=auto}
  Names names;
  for (const PolicyResult& policy : run.policies) names.push_back(name_of(policy.policy));
  names = PolicyLabels(names, kLongest);
  const PolicyResult& reference = run.policies[Compare(run.policies).reference];
  const PolicyResult* ours = Best(run, reference);
  if (ours == nullptr || ours == &reference || reference.filter_bytes == 0 ||
      ours->workloads.empty()) {
    return FindingOfOne(run, names, ours == nullptr ? run.policies[0] : *ours);
  }
  const std::string our_name = Name(run, names, *ours);
  const std::string their_name = Name(run, names, reference);
  const double difference = LevelDifference(ours->tree, reference.tree);
  if (difference > kSame) return NoVerdict(our_name, their_name, difference);
  const size_t w = LeadingWorkload(run);
  const WorkloadCounts& a = ours->workloads[w].counts;
  const WorkloadCounts& b = reference.workloads[w].counts;
  const std::string memory = MemoryPhrase(Ratio(ours->filter_bytes, reference.filter_bytes));
  const uint64_t our_reads = ReadsForAbsentKeys(a);
  const uint64_t their_reads = ReadsForAbsentKeys(b);
  const std::optional<Interval> interval = RatioInterval(our_reads, their_reads);
  ReadampFinding finding;
  finding.lead = {
      absl::StrCat("False reads a lookup in ", ours->workloads[w].name, ": ", RateOf(our_name, a),
                   ", ", RateOf(their_name, b), "; in brackets the 95 % interval."),
      absl::StrCat(Cache(run), ", ", our_name, " reads ", FromFile(*ours, w),
                   " data blocks a lookup from the file and ", their_name, " ",
                   FromFile(reference, w), ".")};
  if (OneHasNone(our_reads, their_reads)) {
    finding.headline = absl::StrCat(
        our_name, " makes ",
        our_reads == 0
            ? absl::StrCat("none of the ", Count(their_reads), " false reads of ", their_name)
            : absl::StrCat(Count(our_reads), " false reads, and ", their_name, " none"),
        ", ", memory, ".");
    return finding;
  }
  if (!interval) {
    finding.headline =
        absl::StrCat("Too few false reads, ", Count(our_reads), " and ", Count(their_reads),
                     ", to compare ", our_name, " with ", their_name, ", ", memory, ".");
    finding.lead.front() += " More lookups would tell.";
    return finding;
  }
  const double ratio = Ratio(our_reads, their_reads);
  finding.headline =
      absl::StrCat(our_name, " ", ReadsPhrase(ratio, *interval, their_name), ", ", memory, ".");
  return finding;
}

}  // namespace winnow::inspect
