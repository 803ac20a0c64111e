#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "src/text/numbers.h"
#include "src/text/report_page.h"
#include "tools/winnow/advise/advice_json.h"

namespace winnow::tools {
std::string CurveChart(const inspect::Advice& advice) {
  inspect::Chart chart;
  chart.id = "curve";
  chart.title = "False reads a lookup over the memory of filters";
  chart.description = "A line for each maker of filters; lower is better";
  chart.x.title = "memory";
  chart.x.logarithmic = true;
  chart.x.format = inspect::ByteSize;
  chart.y.logarithmic = true;
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
      chart.series.push_back({point.maker, 1 + chart.series.size(), {}});
    }
    add(point.bytes, point.false_reads, point.policy);
  }
  if (advice.rows.empty() || advice.rows.front().bytes == 0) return inspect::StandaloneSvg(chart);
  chart.series.push_back({"now", 0, {}});
  add(advice.rows.front().bytes, advice.rows.front().false_reads, "now");
  chart.series.back().points.back().large = true;
  return inspect::StandaloneSvg(chart);
}

}  // namespace winnow::tools
