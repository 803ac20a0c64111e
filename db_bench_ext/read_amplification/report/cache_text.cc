#include "db_bench_ext/read_amplification/report/cache_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>

#include "db_bench_ext/read_amplification/report/readamp_comparison.h"
#include "src/text/numbers.h"
#include "src/text/text_table.h"

namespace winnow::bench {
namespace {

using inspect::Align;
using inspect::BlockLoads;
using inspect::ByteSize;
using inspect::CachePoint;
using inspect::FilterForm;
using inspect::PolicyResult;
using inspect::Ratio;
using inspect::ReadAmplification;
using inspect::TextTable;
using inspect::WorkloadCounts;

std::string Size(uint64_t bytes) { return ByteSize(static_cast<double>(bytes)); }

std::string BytesOf(const BlockLoads& loads, const WorkloadCounts& counts) {
  return absl::StrFormat("%.0f", Ratio(loads.bytes, counts.lookups));
}

std::string BlocksOf(const BlockLoads& loads, const WorkloadCounts& counts) {
  return absl::StrFormat("%.4f", Ratio(loads.blocks, counts.lookups));
}

std::string FilterReaders(const WorkloadCounts& counts) {
  return absl::StrFormat("%.2f %%", 100 * Ratio(counts.filter_reading_lookups, counts.lookups));
}

constexpr char kHowSwept[] =
    "Over the size of the block cache, with filters and indexes in it. Whole: a block each of a "
    "file. Partitioned: cut into blocks, in files written anew. Pinned: whole, and kept as long as "
    "the file is open, whatever the size of the cache. Bytes are those put into the cache, a "
    "lookup; other lookups filled the cache before. Counting ended where 4 GiB came into the "
    "cache; "
    "as many lookups as were counted were then timed.";

// Returns the table of a workload. All policies have the same workloads, sizes and forms.
std::string SweepTable(const ReadAmplification& run, const std::vector<std::string>& labels,
                       const std::string& workload) {
  TextTable table({{"cache", Align::kRight},
                   {"filters", Align::kLeft},
                   {"policy", Align::kLeft},
                   {"filter B"},
                   {"index B"},
                   {"data B"},
                   {"read a filter"},
                   {"lookups/s"}});
  table.Underline();
  const std::vector<CachePoint>& points = run.policies.front().cache_sweep;
  for (size_t at = 0; at < points.size(); ++at) {
    if (points[at].workload != workload) continue;
    for (size_t i = 0; i < run.policies.size(); ++i) {
      const CachePoint& point = run.policies[i].cache_sweep[at];
      const WorkloadCounts& counts = point.counts;
      table.AddRow({Size(point.cache_size), inspect::NameOf(point.form), labels[i],
                    BytesOf(counts.loads.filter, counts), BytesOf(counts.loads.index, counts),
                    BytesOf(counts.loads.data, counts), FilterReaders(counts),
                    absl::StrFormat("%.0f", point.ops_per_second)});
    }
  }
  return table.ToString();
}

// Returns the maximum number of counted lookups at any point of the workload; 0 if it was not
// swept.
uint64_t MostLookups(const ReadAmplification& run, const std::string& workload) {
  uint64_t most = 0;
  for (const PolicyResult& policy : run.policies) {
    for (const CachePoint& point : policy.cache_sweep) {
      if (point.workload == workload) most = std::max(most, point.counts.lookups);
    }
  }
  return most;
}

// Returns notes on the share of pinned blocks in each cache, and on differences between a policy's
// two trees.
std::string SweepNotes(const ReadAmplification& run) {
  std::string pinned, differ;
  for (const PolicyResult& policy : run.policies) {
    double difference = 0;
    const CachePoint* kept = nullptr;
    for (const CachePoint& point : policy.cache_sweep) {
      difference = std::max(difference, point.tree_difference);
      if (point.form == FilterForm::kPinned) kept = &point;
    }
    if (kept != nullptr) {
      absl::StrAppend(&pinned, pinned.empty() ? "" : ", ", policy.policy, " ",
                      Size(kept->cache_pinned));
    }
    if (difference > inspect::kSame) {
      absl::StrAppendFormat(&differ, "%s%s %.2f %%", differ.empty() ? "" : ", ", policy.policy,
                            100 * difference);
    }
  }
  std::string text;
  if (!pinned.empty()) {
    absl::StrAppend(
        &text,
        inspect::WrapText(absl::StrCat("Pinned filters and indexes take, also of a cache that is "
                                       "smaller: ",
                                       pinned, "."),
                          kReportWidth, 2),
        "\n");
  }
  if (!differ.empty()) {
    absl::StrAppend(
        &text,
        inspect::WrapText(
            absl::StrCat("The trees with whole and with partitioned filters are not the "
                         "same; keys on a level differ by: ",
                         differ, "."),
            kReportWidth, 2),
        "\n");
  }
  return text;
}

}  // namespace

std::string CacheLoadsText(const ReadAmplification& run, const std::vector<std::string>& labels,
                           size_t w) {
  if (run.cache_size == 0) return "";
  TextTable table({{"policy", Align::kLeft},
                   {"filters"},
                   {"bytes"},
                   {"indexes"},
                   {"bytes"},
                   {"data"},
                   {"bytes"},
                   {"read a filter"}});
  table.Underline();
  for (size_t i = 0; i < run.policies.size(); ++i) {
    const WorkloadCounts& counts = run.policies[i].workloads[w].counts;
    table.AddRow({labels[i], BlocksOf(counts.loads.filter, counts),
                  BytesOf(counts.loads.filter, counts), BlocksOf(counts.loads.index, counts),
                  BytesOf(counts.loads.index, counts), BlocksOf(counts.loads.data, counts),
                  BytesOf(counts.loads.data, counts), FilterReaders(counts)});
  }
  return absl::StrCat(
      "Blocks put into the block cache, a lookup; and lookups that had to read a filter\n",
      table.ToString());
}

std::string CacheSweepText(const ReadAmplification& run, const std::vector<std::string>& labels) {
  if (run.policies.front().cache_sweep.empty()) return "";
  std::string text = absl::StrCat(inspect::WrapText(kHowSwept, kReportWidth), "\n");
  for (const inspect::WorkloadResult& workload : run.policies.front().workloads) {
    const uint64_t most = MostLookups(run, workload.name);
    if (most == 0) continue;
    absl::StrAppend(&text, "\n", workload.name, ", caches swept: ", most,
                    " counted lookups at most\n", SweepTable(run, labels, workload.name));
  }
  return absl::StrCat(text, SweepNotes(run));
}

}  // namespace winnow::bench
