#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <iterator>

#include "src/text/numbers.h"
#include "src/text/svg_chart.h"
#include "tools/winnow/advise/cache_json.h"

namespace winnow::tools {
namespace {

// As short as there is room beside the axis: "29 KiB".
std::string Tick(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) {
    bytes /= 1024;
  }
  return absl::StrFormat("%.*f %s", bytes < 9.95 && unit > 0 ? 1 : 0, bytes, units[unit]);
}

}  // namespace

std::string CacheChart(const inspect::CacheAdvice& advice) {
  inspect::Chart chart{"cache", "Bytes a lookup over the size of the cache",
                       "A line for each choice; lower is better"};
  chart.x.title = "memory";
  chart.x.logarithmic = true;
  chart.y.title = "bytes a lookup, read into the cache";
  chart.y.logarithmic = true;
  chart.x.format = inspect::ByteSize;
  chart.y.format = Tick;
  for (const inspect::CacheLine& line : advice.lines) {
    inspect::ChartSeries series;
    series.label = line.choice.Label();
    series.colour = 1 + chart.series.size();
    for (const inspect::CacheRow& row : line.points) {
      inspect::ChartPoint point;
      point.x = row.Memory();
      point.y = row.BytesALookup();
      point.says = absl::StrCat(line.choice.Title(), ", ", inspect::ByteSize(point.x), ": ",
                                inspect::ByteSize(point.y), " a lookup");
      series.points.push_back(std::move(point));
      const bool has_tick =
          std::any_of(chart.x.ticks.begin(), chart.x.ticks.end(),
                      [&row](const auto& tick) { return tick.first == row.capacity; });
      if (line.choice.is_now && !has_tick) {
        chart.x.ticks.emplace_back(row.capacity, inspect::ByteSize(row.capacity));
      }
    }
    chart.series.push_back(std::move(series));
  }
  return inspect::StandaloneSvg(chart);
}

}  // namespace winnow::tools
