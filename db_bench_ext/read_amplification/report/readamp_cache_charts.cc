#include <absl/strings/str_cat.h>

#include <string>
#include <utility>
#include <vector>

#include "db_bench_ext/read_amplification/report/readamp_charts.h"
#include "src/text/numbers.h"
#include "src/text/report_page.h"

namespace winnow::inspect {
namespace {

double PerLookup(uint64_t count, const WorkloadCounts& counts) {
  return Ratio(count, counts.lookups);
}

std::string BytesPerLookup(const BlockLoads& loads, const WorkloadCounts& counts) {
  return Figure(PerLookup(loads.bytes, counts));
}

std::string Size(uint64_t bytes) { return ByteSize(static_cast<double>(bytes)); }

}  // namespace

HtmlFigure CacheLoadsFigure(const ReadampView& view, size_t w) {
  const ReadAmplification& run = view.run;
  if (run.cache_size == 0) return {};
  HtmlFigure figure{{absl::StrCat("loads-", w), "Read into the block cache, by kind of block",
                     "A bar for each policy, one part for each kind of block."}};
  figure.says = absl::StrCat("Bytes a lookup put into a cache of ", Size(run.cache_size),
                             ", as it charges them. What is kept beside the cache is not in it.");
  figure.table.head = {"policy"};
  for (const char* kind : {"filter", "index", "data"}) {
    figure.table.head.push_back(absl::StrCat(kind, " blocks a lookup"));
    figure.table.head.push_back(absl::StrCat(kind, " bytes a lookup"));
  }
  figure.table.head.emplace_back("lookups that read a filter");
  for (size_t i = 0; i < run.policies.size(); ++i) {
    const PolicyResult& policy = run.policies[i];
    const WorkloadCounts& counts = policy.workloads[w].counts;
    const std::pair<const char*, const BlockLoads&> kinds[] = {{"filter", counts.loads.filter},
                                                               {"index", counts.loads.index},
                                                               {"data", counts.loads.data}};
    Bar bar{view.labels[i],
            absl::StrCat(Figure(PerLookup(LoadedBytes(counts.loads), counts)), " bytes"),
            view.colours[i],
            false,
            {}};
    std::vector<std::string> row = {policy.policy};
    for (const auto& [kind, loads] : kinds) {
      const std::string bytes = BytesPerLookup(loads, counts);
      bar.parts.push_back(
          {PerLookup(loads.bytes, counts), kind,
           absl::StrCat(policy.policy, ", ", kind, ": ", bytes, " bytes a lookup")});
      row.push_back(Figure(PerLookup(loads.blocks, counts)));
      row.push_back(bytes);
    }
    row.push_back(Percent(PerLookup(counts.filter_reading_lookups, counts)));
    figure.table.rows.push_back(std::move(row));
    figure.chart.bars.push_back(std::move(bar));
  }
  return figure;
}

}  // namespace winnow::inspect
