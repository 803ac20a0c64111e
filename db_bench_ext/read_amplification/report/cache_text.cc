#include "db_bench_ext/read_amplification/report/cache_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "src/text/text_table.h"

namespace winnow::bench {
namespace {

using inspect::Align;
using inspect::BlockLoads;
using inspect::Ratio;
using inspect::ReadAmplification;
using inspect::TextTable;
using inspect::WorkloadCounts;

std::string BytesOf(const BlockLoads& loads, const WorkloadCounts& counts) {
  return absl::StrFormat("%.0f", Ratio(loads.bytes, counts.lookups));
}

std::string BlocksOf(const BlockLoads& loads, const WorkloadCounts& counts) {
  return absl::StrFormat("%.4f", Ratio(loads.blocks, counts.lookups));
}

std::string FilterReaders(const WorkloadCounts& counts) {
  return absl::StrFormat("%.2f %%", 100 * Ratio(counts.filter_reading_lookups, counts.lookups));
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

}  // namespace winnow::bench
