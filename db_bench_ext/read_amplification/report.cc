#include "db_bench_ext/read_amplification/report.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "src/inspect/readamp_comparison.h"
#include "src/inspect/text_table.h"

namespace winnow::bench {
namespace {

using inspect::Compare;
using inspect::Comparison;
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

// Names to the left, numbers to the right.
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

// "180 winnow-ribbon, 30 winnow-bloom"
std::string Kinds(const PolicyResult& policy) {
  std::string text;
  for (const auto& [kind, files] : policy.filters) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", files, " ", kind);
  }
  return text;
}

std::string FilterTable(const ReadAmplification& run, const PolicyResult& reference) {
  TextTable table = Table({"policy", "name in the files", "filter memory", "bits a key",
                           absl::StrCat("to ", reference.policy), "filters by kind"});
  for (const PolicyResult& policy : run.policies) {
    table.AddRow({policy.policy, policy.in_force.empty() ? kNothing : policy.in_force,
                  Bytes(policy.filter_bytes), Fixed(8 * Ratio(policy.filter_bytes, policy.keys), 2),
                  inspect::SameTree(policy, reference)
                      ? Times(policy.filter_bytes, reference.filter_bytes)
                      : kNothing,
                  Kinds(policy)});
  }
  return table.ToString();
}

std::string TreeTable(const ReadAmplification& run) {
  int levels = 0;
  for (const PolicyResult& policy : run.policies) {
    for (const LevelShape& shape : policy.tree) levels = std::max(levels, shape.level + 1);
  }
  std::vector<std::string> head = {"keys (files)"};
  for (int level = 0; level < levels; ++level) head.push_back(absl::StrCat("level ", level));
  TextTable table = Table(head);
  for (const PolicyResult& policy : run.policies) {
    std::vector<std::string> row(head.size(), kNothing);
    row[0] = policy.policy;
    for (const LevelShape& shape : policy.tree) {
      row[static_cast<size_t>(shape.level) + 1] = absl::StrCat(shape.keys, " (", shape.files, ")");
    }
    table.AddRow(row);
  }
  return table.ToString();
}

std::string CountTable(const ReadAmplification& run, size_t w) {
  TextTable table =
      Table({"policy", "files considered", "filter checks", "said no", "false positives",
             "of checks", "data blocks", "from file", "bytes read", "hashes", "hashes shared"});
  for (const PolicyResult& policy : run.policies) {
    const WorkloadResult& workload = policy.workloads[w];
    const WorkloadCounts& counts = workload.counts;
    table.AddRow(
        {policy.policy, Fixed(workload.files_considered_per_lookup, 3),
         PerLookup(counts.filter_checks, counts, 3), PerLookup(counts.useful, counts, 3),
         PerLookup(counts.false_positive_block_reads, counts, 5),
         counts.filter_checks == 0
             ? kNothing
             : absl::StrCat(
                   Fixed(100 * Ratio(counts.false_positive_block_reads, counts.filter_checks), 3),
                   " %"),
         PerLookup(counts.data_blocks_accessed, counts, 4),
         PerLookup(counts.data_blocks_read, counts, 4), PerLookup(counts.bytes_read, counts, 0),
         counts.hashes ? PerLookup(*counts.hashes, counts, 3) : kNothing,
         counts.hashes_shared ? PerLookup(*counts.hashes_shared, counts, 3) : kNothing});
  }
  return table.ToString();
}

std::string TimeTable(const ReadAmplification& run, size_t w) {
  const bool present = run.policies[0].workloads[w].present;
  std::vector<std::string> head = {"policy", "lookups a second", "p50 ns", "p99 ns"};
  if (present) head.emplace_back("bytes read / value bytes");
  TextTable table = Table(head);
  for (const PolicyResult& policy : run.policies) {
    const WorkloadResult& workload = policy.workloads[w];
    std::vector<std::string> row = {policy.policy, Fixed(workload.times.ops_per_second, 0),
                                    absl::StrCat(workload.times.p50_ns),
                                    absl::StrCat(workload.times.p99_ns)};
    if (present) {
      row.push_back(Fixed(Ratio(workload.counts.bytes_read, workload.counts.value_bytes), 1));
    }
    table.AddRow(row);
  }
  return table.ToString();
}

std::string LevelTable(const ReadAmplification& run, size_t w) {
  TextTable table = Table({"policy", "level", "filter memory", "bits a key", "filter checks",
                           "said no", "false positives", "of checks", "blocks accessed"});
  for (const PolicyResult& policy : run.policies) {
    for (const LevelShape& shape : policy.tree) {
      const std::vector<LevelCounts>& levels = policy.workloads[w].counts.levels;
      const auto found = std::find_if(levels.begin(), levels.end(), [&](const LevelCounts& level) {
        return level.level == shape.level;
      });
      const LevelCounts counts = found == levels.end() ? LevelCounts{} : *found;
      table.AddRow(
          {policy.policy, absl::StrCat(shape.level), Bytes(shape.filter_bytes),
           Fixed(8 * Ratio(shape.filter_bytes, shape.keys), 2), absl::StrCat(counts.filter_checks),
           absl::StrCat(counts.useful), absl::StrCat(counts.false_positive_block_reads),
           counts.filter_checks == 0
               ? kNothing
               : absl::StrCat(
                     Fixed(100 * Ratio(counts.false_positive_block_reads, counts.filter_checks), 3),
                     " %"),
           absl::StrCat(counts.blocks_accessed)});
    }
  }
  return table.ToString();
}

bool MayBeCompared(const PolicyResult& policy, const PolicyResult& reference) {
  return &policy != &reference && policy.filter_bytes > 0 && reference.filter_bytes > 0 &&
         inspect::SameTree(policy, reference);
}

// What has to be known before the figures are compared.
std::string Fairness(const ReadAmplification& run, const Comparison& comparison) {
  const PolicyResult& reference = run.policies[comparison.reference];
  std::string text = absl::StrFormat(
      "The trees %s: keys per level differ by at most %.2f %% from those of %s, files considered "
      "per "
      "lookup by at most %.2f %% (limit %.0f %%).\n",
      comparison.TreesAgree() ? "agree" : "DO NOT AGREE, so nothing is said of who is better",
      100 * comparison.largest_level_difference, reference.policy,
      100 * comparison.largest_files_considered_difference, 100 * kSame);
  for (const PolicyResult& policy : run.policies) {
    if (!MayBeCompared(policy, reference)) continue;
    const double memory = Ratio(policy.filter_bytes, reference.filter_bytes);
    const bool same = memory >= 1 - kSame && memory <= 1 + kSame;
    absl::StrAppendFormat(&text, "%s has %.3f times the filter memory of %s%s", policy.policy,
                          memory, reference.policy, same ? " (the same within 2 %)" : "");
    for (size_t w = 0; w < policy.workloads.size(); ++w) {
      const WorkloadCounts& a = policy.workloads[w].counts;
      const WorkloadCounts& b = reference.workloads[w].counts;
      if (policy.workloads[w].present || b.false_positive_block_reads == 0) continue;
      absl::StrAppendFormat(&text,
                            " and %.3f times its false positives per filter check, %.3f per lookup",
                            Ratio(a.false_positive_block_reads, a.filter_checks) /
                                Ratio(b.false_positive_block_reads, b.filter_checks),
                            Ratio(a.false_positive_block_reads, a.lookups) /
                                Ratio(b.false_positive_block_reads, b.lookups));
    }
    text += ".\n";
  }
  return text;
}

std::string Title(const ReadAmplification& run) {
  std::string text =
      absl::StrFormat("%d keys from %s, %.1f bytes each, values of %d bytes", run.keys,
                      run.keys_from, Ratio(run.key_bytes, run.keys), run.value_size);
  if (run.duplicates > 0) absl::StrAppend(&text, "; ", run.duplicates, " duplicates dropped");
  text += "\n";
  for (const std::string& note : run.notes) absl::StrAppend(&text, "Note: ", note, "\n");
  return text;
}

const WorkloadResult* AbsentWorkload(const PolicyResult& policy) {
  for (const WorkloadResult& workload : policy.workloads) {
    if (!workload.present) return &workload;
  }
  return nullptr;
}

}  // namespace

std::string FullReport(const ReadAmplification& run) {
  const Comparison comparison = Compare(run.policies);
  std::string text =
      absl::StrCat(Title(run), "\n", FilterTable(run, run.policies[comparison.reference]), "\n",
                   TreeTable(run), "\n", Fairness(run, comparison));
  for (size_t w = 0; w < run.policies[0].workloads.size(); ++w) {
    const WorkloadResult& workload = run.policies[0].workloads[w];
    absl::StrAppendFormat(
        &text,
        "\n%s: %d lookups of %s keys, figures per lookup (data blocks: as many as without a block "
        "cache; from file: with one of %s)\n%s\n%s: timed apart from the counting, in %d rounds of "
        "%d "
        "lookups in which the policies take turns; the round of median speed\n%s",
        workload.name, workload.counts.lookups, workload.present ? "present" : "absent",
        run.cache_size == 0 ? "no bytes" : Bytes(run.cache_size), CountTable(run, w), workload.name,
        workload.times.ops_per_second_by_round.size(), workload.times.lookups, TimeTable(run, w));
  }
  for (size_t w = 0; w < run.policies[0].workloads.size(); ++w) {
    absl::StrAppendFormat(&text, "\n%s by level, sums over all lookups\n%s",
                          run.policies[0].workloads[w].name, LevelTable(run, w));
  }
  return text;
}

std::string ShortReport(const ReadAmplification& run) {
  const Comparison comparison = Compare(run.policies);
  TextTable table = Table({"filter policy", "filter memory", "bits a key",
                           "wasted reads per 1000 absent keys", "absent keys looked up a second"});
  for (const PolicyResult& policy : run.policies) {
    const WorkloadResult* absent = AbsentWorkload(policy);
    if (absent == nullptr) continue;
    table.AddRow(
        {policy.policy, Bytes(policy.filter_bytes),
         Fixed(8 * Ratio(policy.filter_bytes, policy.keys), 2),
         Fixed(1000 * Ratio(absent->counts.data_blocks_accessed, absent->counts.lookups), 1),
         Fixed(absent->times.ops_per_second, 0)});
  }
  std::string text = absl::StrCat(Title(run), "\n", table.ToString(), "\n",
                                  "A lookup of a key that is not there should read nothing. A "
                                  "wasted read is a data block that\nwas read for such a key, from "
                                  "the file or the block cache, because no filter said \"no\".\n");
  const PolicyResult& reference = run.policies[comparison.reference];
  for (const PolicyResult& policy : run.policies) {
    if (!MayBeCompared(policy, reference)) continue;
    const WorkloadResult* ours = AbsentWorkload(policy);
    const WorkloadResult* theirs = AbsentWorkload(reference);
    if (ours == nullptr || theirs == nullptr) continue;
    absl::StrAppendFormat(
        &text, "%s takes %.0f %% of the memory of %s, for %.2f times its wasted reads.\n",
        policy.policy, 100 * Ratio(policy.filter_bytes, reference.filter_bytes), reference.policy,
        Ratio(ours->counts.data_blocks_accessed, theirs->counts.data_blocks_accessed));
  }
  if (!comparison.TreesAgree()) {
    text += "The trees differ too much for the reads to be compared.\n";
  }
  return text;
}

}  // namespace winnow::bench
