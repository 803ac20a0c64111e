#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <iterator>

#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "src/text/svg_chart.h"
#include "tools/winnow/advise/advice_json.h"
#include "tools/winnow/advise/cache_json.h"

namespace winnow::tools {
namespace {

// Width reserved for the labels of lines.
constexpr size_t kLabelWidth = 22;

// Returns a short label for a tick of the axis: "29 KiB".
std::string Tick(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) {
    bytes /= 1024;
  }
  return absl::StrFormat("%.*f %s", bytes < 9.95 && unit > 0 ? 1 : 0, bytes, units[unit]);
}

// Returns a chart with memory on the x axis.
inspect::Chart ChartOf(const std::string& id, const std::string& title,
                       const std::string& description) {
  inspect::Chart chart;
  chart.id = id;
  chart.title = title;
  chart.description = description;
  chart.x.title = "memory";
  chart.x.logarithmic = true;
  chart.x.format = inspect::ByteSize;
  chart.y.logarithmic = true;
  return chart;
}

}  // namespace

std::string CurveChart(const inspect::Advice& advice) {
  inspect::Chart chart = ChartOf("curve", "False reads a lookup over the memory of filters",
                                 "A line for each maker of filters; lower is better");
  chart.y.title = "false reads a lookup";
  chart.y.format = [](double reads) { return absl::StrFormat("%.3g", reads); };
  const auto add = [&](double bytes, double reads, const std::string& says) {
    inspect::ChartPoint point;
    point.x = bytes;
    point.y = reads;
    point.says = absl::StrCat(says, ", ", inspect::ByteSize(bytes), ": ", chart.y.format(reads),
                              " false reads a lookup");
    chart.series.back().points.push_back(std::move(point));
  };
  for (const inspect::CurvePoint& point : advice.curve) {
    if (!(point.bytes > 0)) continue;  // no policy builds a filter there
    if (chart.series.empty() || chart.series.back().label != point.maker) {
      chart.series.push_back({point.maker, 1 + chart.series.size(), {}, {}});
    }
    add(point.bytes, point.false_reads, point.policy);
  }
  if (advice.rows.empty() || advice.rows.front().bytes == 0) return inspect::StandaloneSvg(chart);
  chart.series.push_back({"now", 0, {}, {}});
  add(advice.rows.front().bytes, advice.rows.front().false_reads, "now");
  chart.series.back().points.back().large = true;
  return inspect::StandaloneSvg(chart);
}

std::string CacheChart(const inspect::CacheAdvice& advice) {
  inspect::Chart chart = ChartOf("cache", "Bytes a lookup over the size of the cache",
                                 "A line for each choice; lower is better");
  chart.y.title = "bytes a lookup, read into the cache";
  chart.y.format = Tick;
  for (const inspect::CacheLine& line : advice.lines) {
    inspect::ChartSeries series;
    series.label = inspect::ShortenedInTheMiddle(line.choice.Title(), kLabelWidth);
    series.colour = 1 + chart.series.size();
    for (const inspect::CacheRow& row : line.points) {
      inspect::ChartPoint point;
      point.x = row.Memory();
      point.y = row.BytesALookup();
      point.says = absl::StrCat(line.choice.Title(), ", ", inspect::ByteSize(point.x), ": ",
                                inspect::ByteSize(point.y), " a lookup");
      series.points.push_back(std::move(point));
      const bool has_tick = absl::c_any_of(
          chart.x.ticks, [&row](const auto& tick) { return tick.first == row.capacity; });
      if (line.choice.is_now && !has_tick) {
        chart.x.ticks.emplace_back(row.capacity, inspect::ByteSize(row.capacity));
      }
    }
    chart.series.push_back(std::move(series));
  }
  return inspect::StandaloneSvg(chart);
}

}  // namespace winnow::tools
