#include <absl/strings/str_cat.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db_bench_ext/read_amplification/report/readamp_charts.h"
#include "src/text/numbers.h"
#include "src/text/svg_chart.h"

namespace winnow::inspect {
namespace {

double PerLookup(uint64_t count, const WorkloadCounts& counts) {
  return Ratio(count, counts.lookups);
}

std::string BytesPerLookup(const BlockLoads& loads, const WorkloadCounts& counts) {
  return Figure(PerLookup(loads.bytes, counts));
}

std::string Size(uint64_t bytes) { return ByteSize(static_cast<double>(bytes)); }

// Returns the tick label of a decimal axis: "20", "20 kB", "20 MB".
std::string DecimalBytes(double bytes) {
  return bytes < 1e3   ? Figure(bytes)
         : bytes < 1e6 ? absl::StrCat(Figure(bytes / 1e3), " kB")
                       : absl::StrCat(Figure(bytes / 1e6), " MB");
}

// Returns the distinct sizes with their labels, ascending.
std::vector<std::pair<double, std::string>> SizesOf(const std::vector<CachePoint>& points) {
  std::map<double, std::string> sizes;
  for (const CachePoint& point : points) {
    sizes.emplace(static_cast<double>(point.cache_size), Size(point.cache_size));
  }
  return {sizes.begin(), sizes.end()};
}

size_t DashesOf(FilterForm form) { return static_cast<size_t>(form); }

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

HtmlFigure CacheSweepFigure(const ReadampView& view, size_t w) {
  const ReadAmplification& run = view.run;
  const std::string& workload = run.policies[0].workloads[w].name;
  HtmlFigure figure{{absl::StrCat("cache-", w),
                     absl::StrCat(workload, ": bytes a lookup over the size of the cache"),
                     "A line for each policy and form of filters; both axes are logarithmic."}};
  figure.says =
      "Filter, index and data blocks put into the cache, with filters and indexes in it too. "
      "Lines: whole filters. Dashes: partitioned ones. Dots: whole ones that are pinned, which "
      "take their memory also of a cache that is smaller.";
  figure.table.head = {"policy",
                       "filters",
                       "cache",
                       "filter bytes a lookup",
                       "index bytes a lookup",
                       "data bytes a lookup",
                       "lookups that read a filter",
                       "lookups a second",
                       "in the cache",
                       "of this pinned",
                       "filters of all files",
                       "lookups counted"};
  Chart& chart = figure.chart;
  chart.x = {"size of the block cache", true, ByteSize, SizesOf(run.policies[0].cache_sweep)};
  chart.y = {"bytes a lookup", true, DecimalBytes, {}};
  for (size_t i = 0; i < run.policies.size(); ++i) {
    const PolicyResult& policy = run.policies[i];
    for (const FilterForm form : kFilterForms) {
      // A policy's lines share one label and differ in their dashes.
      const bool named = form == FilterForm::kWhole;
      ChartSeries series{named ? view.labels[i] : "", view.colours[i], {}};
      series.dashes = DashesOf(form);
      for (const CachePoint& point : policy.cache_sweep) {
        if (point.workload != workload || point.form != form) continue;
        const WorkloadCounts& counts = point.counts;
        const double bytes = PerLookup(LoadedBytes(counts.loads), counts);
        series.points.push_back(
            {static_cast<double>(point.cache_size), bytes, std::nullopt,
             absl::StrCat(policy.policy, ", ", NameOf(form), " filters, a cache of ",
                          Size(point.cache_size), ": ", ByteSize(bytes), " a lookup")});
        figure.table.rows.push_back(
            {policy.policy, NameOf(form), Size(point.cache_size),
             BytesPerLookup(counts.loads.filter, counts),
             BytesPerLookup(counts.loads.index, counts), BytesPerLookup(counts.loads.data, counts),
             Percent(PerLookup(counts.filter_reading_lookups, counts)),
             Figure(point.ops_per_second), Size(point.cache_used), Size(point.cache_pinned),
             Size(point.filter_bytes), Count(counts.lookups)});
      }
      if (!series.points.empty()) chart.series.push_back(std::move(series));
    }
  }
  if (chart.series.empty()) return {};
  return figure;
}

}  // namespace winnow::inspect
