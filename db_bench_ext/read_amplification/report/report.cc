#include "db_bench_ext/read_amplification/report/report.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "db_bench_ext/read_amplification/report/cache_text.h"
#include "db_bench_ext/read_amplification/report/policy_text.h"
#include "db_bench_ext/read_amplification/report/readamp_comparison.h"
#include "db_bench_ext/read_amplification/report/readamp_headline.h"
#include "src/text/rate_interval.h"
#include "src/text/text_table.h"
#include "winnow/version.h"

namespace winnow::bench {
namespace {

using inspect::Compare;
using inspect::Comparison;
using inspect::FilterBitsPerKey;
using inspect::kSame;
using inspect::LevelCounts;
using inspect::LevelShape;
using inspect::PolicyResult;
using inspect::Ratio;
using inspect::ReadAmplification;
using inspect::TextTable;
using inspect::WorkloadCounts;
using inspect::WorkloadResult;

constexpr char kNothing[] = "-";

// Returns a table with names aligned left, and numbers right.
TextTable Table(const std::vector<std::string>& titles) {
  std::vector<inspect::Column> columns;
  columns.reserve(titles.size());
  for (const std::string& title : titles) {
    columns.push_back({title, columns.empty() ? inspect::Align::kLeft : inspect::Align::kRight});
  }
  TextTable table(std::move(columns));
  table.Underline();
  return table;
}

std::string Fixed(double value, int decimals) { return absl::StrFormat("%.*f", decimals, value); }

std::string Bytes(uint64_t bytes) {
  constexpr uint64_t kMany = 100 << 20;
  return bytes < kMany ? absl::StrCat(Fixed(Ratio(bytes, 1 << 10), 0), " KiB")
                       : absl::StrCat(Fixed(Ratio(bytes, 1 << 20), 0), " MiB");
}

std::string Times(uint64_t a, uint64_t b) {
  return b == 0 ? kNothing : absl::StrCat(Fixed(Ratio(a, b), 3), "x");
}

std::string PerLookup(uint64_t count, const WorkloadCounts& counts, int decimals) {
  return Fixed(Ratio(count, counts.lookups), decimals);
}

// Returns, for example, "180 winnow-ribbon, 30 winnow-bloom".
std::string Kinds(const PolicyResult& policy) {
  std::string text;
  for (const auto& [kind, files] : policy.filters) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", files, " ", kind);
  }
  return text;
}

// Returns the kind of most files: "winnow-ribbon, ..." if there are others.
std::string CommonestKind(const PolicyResult& policy) {
  const auto most =
      std::max_element(policy.filters.begin(), policy.filters.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == policy.filters.end()
             ? kNothing
             : absl::StrCat(most->first, policy.filters.size() > 1 ? ", ..." : "");
}

// Returns a line if files have Winnow's filters under the name of another policy, as those written
// while Winnow was preloaded have; else an empty string.
std::string BorrowedName(const std::string& label, const PolicyResult& policy) {
  const bool winnows =
      std::any_of(policy.filters.begin(), policy.filters.end(),
                  [](const auto& kind) { return absl::StartsWith(kind.first, "winnow-"); });
  if (!winnows || policy.in_force.empty() || absl::StartsWith(policy.in_force, "winnow")) return "";
  return absl::StrCat(
      inspect::WrapText(absl::StrCat(label, ": the properties of its files name ", policy.in_force,
                                     ", in whose place Winnow was"),
                        kReportWidth, 2),
      "\n");
}

// Returns labels of the policies that fit into tables.
std::vector<std::string> Labels(const ReadAmplification& run) {
  constexpr size_t kMax = 18;
  std::vector<std::string> asked;
  for (const PolicyResult& policy : run.policies) asked.push_back(policy.policy);
  return inspect::PolicyLabels(asked, kMax);
}

// Returns which policies the shortened labels stand for.
std::string LabelNotes(const ReadAmplification& run) {
  const std::vector<std::string> labels = Labels(run);
  std::string text;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == run.policies[i].policy) continue;
    absl::StrAppend(&text, labels[i], " stands for ", run.policies[i].policy, "\n");
  }
  return text;
}

std::string IntervalText(const inspect::Interval& interval) {
  return absl::StrFormat("%.5f-%.5f", interval.low, interval.high);
}

std::string Share(uint64_t count, uint64_t of) {
  return of == 0 ? kNothing : absl::StrCat(Fixed(100 * Ratio(count, of), 3), " %");
}

std::string FilterTable(const ReadAmplification& run, const PolicyResult& reference) {
  const std::vector<std::string> labels = Labels(run);
  TextTable table =
      Table({"policy", "filters in the files", "memory", "bits per key",
             reference.policy.size() <= 15 ? absl::StrCat("to ", reference.policy) : "to reference",
             "build ns a key"});
  for (size_t i = 0; i < run.policies.size(); ++i) {
    const PolicyResult& policy = run.policies[i];
    table.AddRow({labels[i], CommonestKind(policy), Bytes(policy.filter_bytes),
                  Fixed(FilterBitsPerKey(policy), 2),
                  inspect::SameTree(policy, reference)
                      ? Times(policy.filter_bytes, reference.filter_bytes)
                      : kNothing,
                  policy.build ? Fixed(policy.build->ns_per_key, 1) : kNothing});
  }
  std::string text = table.ToString();
  for (size_t i = 0; i < run.policies.size(); ++i) {
    absl::StrAppend(&text, labels[i], ": ", Kinds(run.policies[i]), "\n",
                    BorrowedName(labels[i], run.policies[i]));
  }
  return text;
}

// Returns a table with a row per level: seven levels would not fit side by side.
std::string TreeTable(const ReadAmplification& run) {
  const std::vector<std::string> labels = Labels(run);
  TextTable table = Table({"policy", "level", "files", "keys", "filter memory", "bits per key"});
  for (size_t i = 0; i < run.policies.size(); ++i) {
    for (const LevelShape& shape : run.policies[i].tree) {
      table.AddRow({labels[i], absl::StrCat(shape.level), absl::StrCat(shape.files),
                    absl::StrCat(shape.keys), Bytes(shape.filter_bytes),
                    Fixed(FilterBitsPerKey(shape), 2)});
    }
  }
  return table.ToString();
}

std::string CheckTable(const ReadAmplification& run, size_t w) {
  const std::vector<std::string> labels = Labels(run);
  TextTable table =
      Table({"policy", "files", "checks", "said no", "hashes", "shared", "of checks", "95 %"});
  for (size_t i = 0; i < run.policies.size(); ++i) {
    const WorkloadResult& workload = run.policies[i].workloads[w];
    const WorkloadCounts& counts = workload.counts;
    const inspect::Interval share =
        inspect::WilsonInterval(counts.false_positive_block_reads, inspect::DecidedChecks(counts));
    table.AddRow({labels[i], Fixed(workload.files_considered_per_lookup, 3),
                  PerLookup(counts.filter_checks, counts, 3), PerLookup(counts.useful, counts, 3),
                  counts.hashes ? PerLookup(*counts.hashes, counts, 3) : kNothing,
                  counts.hashes_shared ? PerLookup(*counts.hashes_shared, counts, 3) : kNothing,
                  Share(counts.false_positive_block_reads, inspect::DecidedChecks(counts)),
                  inspect::DecidedChecks(counts) == 0
                      ? kNothing
                      : absl::StrFormat("%.3f-%.3f %%", 100 * share.low, 100 * share.high)});
  }
  return table.ToString();
}

std::string ReadTable(const ReadAmplification& run, size_t w) {
  const std::vector<std::string> labels = Labels(run);
  TextTable table =
      Table({"policy", "false reads", "95 %", "blocks", "from file", "bytes read", "to values"});
  for (size_t i = 0; i < run.policies.size(); ++i) {
    const WorkloadCounts& counts = run.policies[i].workloads[w].counts;
    table.AddRow(
        {labels[i],
         inspect::DecidedChecks(counts) == 0 ? kNothing : Fixed(inspect::FalseReads(counts), 5),
         inspect::DecidedChecks(counts) == 0
             ? kNothing
             : IntervalText(
                   inspect::PoissonInterval(counts.false_positive_block_reads, counts.lookups)),
         PerLookup(counts.data_blocks_accessed, counts, 4),
         PerLookup(counts.data_blocks_read, counts, 4), PerLookup(counts.bytes_read, counts, 0),
         counts.value_bytes == 0
             ? kNothing
             : absl::StrCat(Fixed(Ratio(counts.bytes_read, counts.value_bytes), 1), "x")});
  }
  return table.ToString();
}

// Returns, for example, "557724 ?" if the speed is not significantly different from the
// reference's.
std::string Speed(const inspect::WorkloadTimes& times, const inspect::WorkloadTimes& reference) {
  const bool is_told = &times == &reference || inspect::SpeedsDiffer(times, reference);
  return absl::StrCat(Fixed(times.ops_per_second, 0), is_told ? "  " : " ?");
}

std::string SpeedNote(const ReadAmplification& run) {
  if (run.policies.size() < 2) return "";
  const std::string note =
      absl::StrCat("A ? stands where the difference from ",
                   inspect::ShortPolicy(run.policies[Compare(run.policies).reference].policy),
                   " is not resolved: rounds of the two are equally fast, or fewer than three.");
  return absl::StrCat(inspect::WrapText(note, kReportWidth), "\n");
}

std::string TimeTable(const ReadAmplification& run, size_t w) {
  constexpr double kShown[] = {50, 90, 95, 99, 99.9, 99.99};
  const std::vector<std::string> labels = Labels(run);
  const PolicyResult& reference = run.policies[Compare(run.policies).reference];
  std::vector<std::string> head = {"policy", "lookups a second"};
  for (const double percent : kShown) head.push_back(absl::StrCat("p", percent, " ns"));
  TextTable table = Table(head);
  for (size_t i = 0; i < run.policies.size(); ++i) {
    const inspect::WorkloadTimes& times = run.policies[i].workloads[w].times;
    std::vector<std::string> row = {labels[i], Speed(times, reference.workloads[w].times)};
    for (const double percent : kShown) {
      const auto found =
          std::find_if(times.percentiles.begin(), times.percentiles.end(),
                       [&](const inspect::Percentile& p) { return p.percent == percent; });
      row.push_back(found == times.percentiles.end() ? kNothing : absl::StrCat(found->nanoseconds));
    }
    table.AddRow(row);
  }
  return table.ToString();
}

std::string LevelTable(const ReadAmplification& run, size_t w) {
  const std::vector<std::string> labels = Labels(run);
  TextTable table = Table(
      {"policy", "level", "checks", "said no", "false reads", "a lookup", "95 %", "from file"});
  for (size_t i = 0; i < run.policies.size(); ++i) {
    const WorkloadCounts& counts = run.policies[i].workloads[w].counts;
    for (const LevelCounts& level : counts.levels) {
      const bool checked = level.filter_checks > 0;
      const uint64_t false_reads = level.false_positive_block_reads;
      table.AddRow(
          {labels[i], absl::StrCat(level.level),
           checked ? absl::StrCat(level.filter_checks) : kNothing,
           checked ? absl::StrCat(level.useful) : kNothing,
           checked ? absl::StrCat(false_reads) : kNothing,
           checked ? PerLookup(false_reads, counts, 5) : kNothing,
           checked ? IntervalText(inspect::PoissonInterval(false_reads, counts.lookups)) : kNothing,
           absl::StrCat(level.blocks_read)});
    }
  }
  return table.ToString();
}

// Returns the growth, summarized in quarters of the writes.
std::string GrowthTable(const ReadAmplification& run) {
  constexpr size_t kQuarters = 4;
  const std::vector<std::string> labels = Labels(run);
  TextTable table = Table(
      {"policy", "lookups", "false reads", "1st", "2nd", "3rd", "4th", "from file", "most bits"});
  for (size_t i = 0; i < run.policies.size(); ++i) {
    const std::vector<inspect::GrowthInterval>& growth = run.policies[i].growth;
    WorkloadCounts all, quarters[kQuarters];
    double most_bits = 0;
    for (size_t at = 0; at < growth.size(); ++at) {
      for (WorkloadCounts* const sum : {&all, &quarters[at * kQuarters / growth.size()]}) {
        sum->lookups += growth[at].counts.lookups;
        sum->false_positive_block_reads += growth[at].counts.false_positive_block_reads;
        sum->data_blocks_read += growth[at].counts.data_blocks_read;
      }
      most_bits = std::max(most_bits, FilterBitsPerKey(growth[at]));
    }
    std::vector<std::string> row = {labels[i], absl::StrCat(all.lookups),
                                    Fixed(inspect::FalseReads(all), 5)};
    for (const WorkloadCounts& quarter : quarters) {
      row.push_back(Fixed(inspect::FalseReads(quarter), 5));
    }
    row.push_back(PerLookup(all.data_blocks_read, all, 4));
    row.push_back(Fixed(most_bits, 2));
    table.AddRow(row);
  }
  return table.ToString();
}

// Returns the false reads of a policy as a multiple of the reference's; empty if the ratio is not
// known.
std::string ReadsToReference(const WorkloadResult& ours, const WorkloadResult& theirs) {
  const WorkloadCounts& a = ours.counts;
  const WorkloadCounts& b = theirs.counts;
  if (!inspect::AllAbsent(a) || b.false_positive_block_reads == 0) return "";
  std::string text =
      absl::StrFormat(" and %.3f times its false positives per filter check, %.3f per lookup",
                      inspect::FalsePositiveRate(a) / inspect::FalsePositiveRate(b),
                      inspect::FalseReads(a) / inspect::FalseReads(b));
  if (const auto interval =
          inspect::RatioInterval(a.false_positive_block_reads, b.false_positive_block_reads)) {
    absl::StrAppendFormat(&text, " (95 %%: %.3f to %.3f)", interval->low, interval->high);
  }
  if (b.data_blocks_read > 0) {
    absl::StrAppendFormat(&text, ", and reads %.3f times as many data blocks from the file",
                          Ratio(a.data_blocks_read, b.data_blocks_read));
  }
  return text;
}

bool MayBeCompared(const PolicyResult& policy, const PolicyResult& reference) {
  return &policy != &reference && policy.filter_bytes > 0 && reference.filter_bytes > 0 &&
         inspect::SameTree(policy, reference);
}

// Returns notes for comparisons of the results. Ratios of reads are omitted if trees differ.
std::string Fairness(const ReadAmplification& run, const Comparison& comparison) {
  const PolicyResult& reference = run.policies[comparison.reference];
  std::string text = absl::StrFormat(
      "The trees %s: keys per level differ by at most %.2f %% from those of %s, files considered "
      "per lookup by at most %.2f %% (limit %.0f %%).",
      comparison.TreesAgree() ? "agree" : "DO NOT AGREE, so nothing is said of who is better",
      100 * comparison.largest_level_difference, reference.policy,
      100 * comparison.largest_files_considered_difference, 100 * kSame);
  text = absl::StrCat(inspect::WrapText(text, kReportWidth), "\n");
  for (const PolicyResult& policy : run.policies) {
    if (!MayBeCompared(policy, reference)) continue;
    const double memory = Ratio(policy.filter_bytes, reference.filter_bytes);
    const bool same = memory >= 1 - kSame && memory <= 1 + kSame;
    std::string line =
        absl::StrFormat("%s has %.3f times the filter memory of %s%s", policy.policy, memory,
                        reference.policy, same ? " (the same within 2 %)" : "");
    for (size_t w = 0; w < policy.workloads.size() && comparison.TreesAgree(); ++w) {
      line += ReadsToReference(policy.workloads[w], reference.workloads[w]);
    }
    absl::StrAppend(&text, inspect::WrapText(line + ".", kReportWidth, 2), "\n");
  }
  return text;
}

std::string Title(const ReadAmplification& run) {
  std::string text =
      absl::StrFormat("%d keys from %s, %.1f bytes each, values of %d bytes", run.keys,
                      run.keys_from, Ratio(run.key_bytes, run.keys), run.value_size);
  if (run.duplicates > 0) absl::StrAppend(&text, "; ", run.duplicates, " duplicates dropped");
  text += "\n";
  if (!run.lookups_drawn.empty()) {
    absl::StrAppend(&text, inspect::WrapText(run.lookups_drawn, kReportWidth), "\n");
  }
  for (const std::string& note : run.notes) {
    absl::StrAppend(&text, "Note: ", note, "\n");
  }
  return text;
}

// Returns, for example, "true", "8388608", "10" or "lz4".
std::string SettingText(const inspect::SettingValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const int64_t* number = std::get_if<int64_t>(&value)) return absl::StrCat(*number);
  if (const double* number = std::get_if<double>(&value)) return absl::StrCat(*number);
  return std::get<std::string>(value);
}

std::string Conditions(const ReadAmplification& run) {
  std::string text =
      absl::StrCat("Measured ", run.date, ", seed ", run.seed, ", RocksDB ",
                   rocksdb::GetRocksVersionAsString(), ", Winnow ", Version(), ", tree:");
  for (const auto& [name, value] : run.settings) {
    absl::StrAppend(&text, " ", name, "=", SettingText(value));
  }
  return absl::StrCat(inspect::WrapText(text, kReportWidth, 2), "\n");
}

constexpr char kMeaning[] =
    "Files: those whose key range has the key. A false read is a data block read because a filter "
    "said \"maybe\" of a file without the key. "
    "Blocks: data blocks needed, as many as without a block cache; from file: those that the block "
    "cache did not have. 95 %: intervals of the rate of this tree for other lookups drawn alike "
    "(Wilson's of checks, Poisson's a lookup); lookups that repeat keys make them too narrow, and "
    "they say nothing of other trees.";

std::string KeysOf(const WorkloadCounts& counts) {
  if (counts.found == counts.lookups) return "present keys";
  if (counts.found == 0) return "absent keys";
  return absl::StrFormat("keys, %.3g %% of them absent",
                         100 * (1 - Ratio(counts.found, counts.lookups)));
}

std::string WorkloadText(const ReadAmplification& run, size_t w) {
  const WorkloadResult& workload = run.policies[0].workloads[w];
  std::string text = inspect::WrapText(
      absl::StrFormat("%s: %d lookups of %s, figures per lookup, with a block cache of %s",
                      workload.name, workload.counts.lookups, KeysOf(workload.counts),
                      run.cache_size == 0 ? "no bytes" : Bytes(run.cache_size)),
      kReportWidth);
  absl::StrAppend(&text, "\n");
  if (!workload.remark.empty()) {
    absl::StrAppend(&text, inspect::WrapText(workload.remark, kReportWidth), "\n");
  }
  absl::StrAppend(&text, ReadTable(run, w), "\n", CheckTable(run, w));
  if (const std::string loads = CacheLoadsText(run, Labels(run), w); !loads.empty()) {
    absl::StrAppend(&text, "\n", loads);
  }
  if (workload.times.lookups > 0) {
    const std::string how = absl::StrFormat(
        "%s: timed apart from the counting, in %d rounds of %d lookups in which the policies take "
        "turns; the round of median speed",
        workload.name, workload.times.ops_per_second_by_round.size(), workload.times.lookups);
    absl::StrAppend(&text, "\n", inspect::WrapText(how, kReportWidth), "\n", TimeTable(run, w),
                    SpeedNote(run));
  }
  return absl::StrCat(text, "\n", workload.name, " by level: sums over all lookups",
                      "; from file: blocks of any type\n", LevelTable(run, w));
}

// Returns the workload of a summary: the first with absent keys only, else the first one. Null
// without workloads.
const WorkloadResult* ToSum(const ReadAmplification& run, const PolicyResult& policy) {
  return policy.workloads.empty() ? nullptr : &policy.workloads[inspect::LeadingWorkload(run)];
}

}  // namespace

std::string FullReport(const ReadAmplification& run) {
  const Comparison comparison = Compare(run.policies);
  std::string text = absl::StrCat(Title(run), Conditions(run), LabelNotes(run), "\n",
                                  FilterTable(run, run.policies[comparison.reference]), "\n",
                                  TreeTable(run), "\n", Fairness(run, comparison), "\n",
                                  inspect::WrapText(kMeaning, kReportWidth), "\n");
  for (size_t w = 0; w < run.policies[0].workloads.size(); ++w) {
    absl::StrAppend(&text, "\n", WorkloadText(run, w));
  }
  if (!run.heat.empty()) {
    absl::StrAppend(&text, "\n",
                    inspect::WrapText("While the tree grew: false reads a lookup, of all and by "
                                      "quarter of the writes; data blocks a lookup from the file; "
                                      "the most bits per key of all filters at any time",
                                      kReportWidth),
                    "\n", GrowthTable(run));
  }
  return text;
}

std::string ShortReport(const ReadAmplification& run) {
  const Comparison comparison = Compare(run.policies);
  const PolicyResult& reference = run.policies[comparison.reference];
  const WorkloadResult* theirs = ToSum(run, reference);
  const bool absent = theirs == nullptr || inspect::AllAbsent(theirs->counts);
  const std::string keys = absent ? "absent keys" : "lookups";
  TextTable table = Table({"filter policy", "filter memory", "bits per key",
                           absl::StrCat("false reads per 1000 ", keys),
                           absent ? "absent keys looked up a second" : "lookups a second"});
  for (const PolicyResult& policy : run.policies) {
    const WorkloadResult* ours = ToSum(run, policy);
    if (ours == nullptr) continue;
    table.AddRow({policy.policy, Bytes(policy.filter_bytes), Fixed(FilterBitsPerKey(policy), 2),
                  Fixed(1000 * inspect::ReadsForAbsentKeysPerLookup(ours->counts), 1),
                  Speed(ours->times, theirs->times)});
  }
  std::string text = absl::StrCat(
      Title(run), "\n", inspect::WrapText(inspect::FindingOf(run).headline, kReportWidth), "\n\n",
      table.ToString(), SpeedNote(run), "\n",
      absent
          ? "A lookup of a key that is not there should read nothing. A false read is a data "
            "block that\nwas read for such a key, from the file or the block cache: one for each "
            "filter that did not\nsay \"no\", and all where no filter was asked.\n"
          : absl::StrCat("These are lookups of ", theirs->name,
                         ". A false read is a data block that was read in a file\nthat does not "
                         "have the key, as its filter did not say \"no\".\n"));
  for (const PolicyResult& policy : run.policies) {
    const WorkloadResult* ours = ToSum(run, policy);
    if (!MayBeCompared(policy, reference) || ours == nullptr) continue;
    const double reads = inspect::ReadsForAbsentKeysPerLookup(theirs->counts);
    absl::StrAppendFormat(
        &text, "%s takes %.0f %% of the memory of %s, for %.2f times its false reads.\n",
        policy.policy, 100 * Ratio(policy.filter_bytes, reference.filter_bytes), reference.policy,
        reads > 0 ? inspect::ReadsForAbsentKeysPerLookup(ours->counts) / reads : 0);
  }
  if (!comparison.TreesAgree()) {
    text += "The trees differ too much for the reads to be compared.\n";
  }
  return text;
}

}  // namespace winnow::bench
