#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <optional>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/report/readamp_charts.h"
#include "src/text/numbers.h"
#include "src/text/report_page.h"

namespace winnow::inspect {
namespace {

std::string BitsText(double bits) { return absl::StrFormat("%.2f", bits); }

// Returns the bits per key in a part of the key range over all levels, or nullopt without keys.
std::optional<double> BitsOfPart(const PolicyResult& policy, size_t part) {
  double keys = 0;
  double bytes = 0;
  for (const RangeOfLevel& level : policy.range) {
    keys += level.keys[part];
    bytes += level.filter_bytes[part];
  }
  return keys > 0 ? std::optional(8 * bytes / keys) : std::nullopt;
}

// Returns, for example, "10 to 13.3 %".
std::string PlaceOf(size_t part) {
  const auto percent = [](size_t parts) { return 100 * static_cast<double>(parts) / kParts; };
  return absl::StrFormat("%.3g to %.3g %%", percent(part), percent(part + 1));
}

// Adds a series for each policy with filters.
template <typename AddPoints>
void AddSeries(const ReadampView& view, Chart* chart, AddPoints add_points) {
  for (size_t i = 0; i < view.run.policies.size(); ++i) {
    if (view.run.policies[i].filter_bytes == 0) continue;
    chart->series.push_back({view.labels[i], view.colours[i], {}});
    add_points(view.run.policies[i], &chart->series.back().points);
  }
}

}  // namespace

HtmlFigure GrowthFigure(const ReadampView& view) {
  HtmlFigure figure{{"growth", "False reads while the tree grew",
                     "A line for each policy; the vertical axis is logarithmic."}};
  figure.says =
      "Each mark is an interval of the writes, and of the lookups that came between them. The "
      "table has the bits per key that all filters took at its end.";
  Chart& chart = figure.chart;
  chart.x = {"keys written", false, [](double n) { return Count(static_cast<uint64_t>(n)); }, {}};
  chart.y = {"false reads a lookup", true, Figure, {}};
  figure.table.head = {"keys written"};
  AddSeries(view, &chart, [&](const PolicyResult& policy, std::vector<ChartPoint>* points) {
    figure.table.head.push_back(absl::StrCat(policy.policy, ": false reads a lookup"));
    figure.table.head.emplace_back("bits per key");
    figure.table.rows.resize(policy.growth.size());
    for (size_t i = 0; i < policy.growth.size(); ++i) {
      const GrowthInterval& interval = policy.growth[i];
      const std::string written = Count(interval.written);
      const std::string rate = Figure(FalseReads(interval.counts));
      std::vector<std::string>& row = figure.table.rows[i];
      if (row.empty()) row.push_back(written);
      row.push_back(rate);
      row.push_back(BitsText(FilterBitsPerKey(interval)));
      points->push_back({static_cast<double>(interval.written), FalseReads(interval.counts),
                         std::nullopt,
                         absl::StrCat(policy.policy, ", until ", written,
                                      " keys were written: ", rate, " false reads a lookup")});
    }
  });
  return figure;
}

HtmlFigure RangeFigure(const ReadampView& view) {
  HtmlFigure figure{{"range", "Filter bits over the range of keys",
                     "A line for each policy, over the range of keys."}};
  figure.says = absl::StrCat(
      "Each mark is one of ", kParts,
      " equal parts of the range, at rest and with all levels together; --json has them by level. "
      "The table has the share of the lookups that ask each part.");
  Chart& chart = figure.chart;
  chart.x.title = "place in the range of keys";
  for (const int percent : {0, 20, 40, 60, 80, 100}) {
    chart.x.ticks.emplace_back(percent, absl::StrCat(percent, " %"));
  }
  chart.y = {"filter bits per key", false, Figure, {}};
  figure.table.head = {"part", "share of the lookups"};
  for (size_t part = 0; part < kParts; ++part) {
    figure.table.rows.push_back(
        {PlaceOf(part), absl::StrFormat("%.1f %%", 100 * view.run.heat[part])});
  }
  AddSeries(view, &chart, [&](const PolicyResult& policy, std::vector<ChartPoint>* points) {
    figure.table.head.push_back(absl::StrCat(policy.policy, ": bits per key"));
    for (size_t part = 0; part < kParts; ++part) {
      const std::optional<double> bits = BitsOfPart(policy, part);
      figure.table.rows[part].push_back(bits ? BitsText(*bits) : "no keys");
      if (!bits) continue;
      const double middle = (static_cast<double>(part) + 0.5) * 100 / kParts;
      points->push_back({middle, *bits, std::nullopt,
                         absl::StrCat(policy.policy, ", ", PlaceOf(part),
                                      " of the range: ", BitsText(*bits), " bits per key")});
    }
  });
  return figure;
}

}  // namespace winnow::inspect
