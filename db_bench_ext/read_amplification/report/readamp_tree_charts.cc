#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <map>
#include <set>

#include "db_bench_ext/read_amplification/report/policy_text.h"
#include "db_bench_ext/read_amplification/report/readamp_charts.h"
#include "db_bench_ext/read_amplification/report/readamp_comparison.h"
#include "src/text/numbers.h"
#include "src/text/report_page.h"

namespace winnow::inspect {
namespace {

constexpr size_t kLongestLabel = 20;

ChartPoint ToChart(const PolicyResult& policy, size_t w) {
  const WorkloadCounts& counts = policy.workloads[w].counts;
  ChartPoint chart;
  chart.x = FilterBitsPerKey(policy);
  chart.y = FalseReads(counts);
  chart.y_interval = FalseReadsInterval(counts);
  chart.large = true;
  chart.says = absl::StrFormat("%s: %.2f bits per key, %s false reads a lookup (%s to %s)",
                               policy.policy, chart.x, Figure(chart.y),
                               Figure(chart.y_interval->low), Figure(chart.y_interval->high));
  return chart;
}

std::vector<std::string> ToRow(const PolicyResult& policy, size_t w) {
  const WorkloadCounts& counts = policy.workloads[w].counts;
  const Interval interval = FalseReadsInterval(counts);
  return {policy.policy,
          ByteSize(static_cast<double>(policy.filter_bytes)),
          absl::StrFormat("%.2f", FilterBitsPerKey(policy)),
          Figure(FalseReads(counts)),
          absl::StrCat(Figure(interval.low), " to ", Figure(interval.high)),
          Figure(Ratio(counts.data_blocks_read, counts.lookups))};
}

// Returns whether the tree of a policy equals the reference's, as comparisons require.
bool Agrees(const PolicyResult& policy, const PolicyResult& reference) {
  return LevelDifference(policy.tree, reference.tree) <= kSame;
}

constexpr char kHowToRead[] =
    " Lower is fewer reads, further left is less memory. The bars are 95 % intervals. Each mark is "
    "a policy of --policies; those that differ only in their bits per key are on one line.";

}  // namespace

ReadampView::ReadampView(const ReadAmplification& shown) : run(shown) {
  std::vector<std::string> asked;
  size_t next = 0;
  for (const PolicyResult& policy : run.policies) {
    asked.push_back(policy.policy);
    colours.push_back(policy.filter_bytes == 0 ? 0 : 1 + next++ % (kColours - 1));
  }
  labels = PolicyLabels(asked, kLongestLabel);
}

HtmlFigure MemoryFigure(const ReadampView& view, size_t w) {
  const ReadAmplification& run = view.run;
  const PolicyResult& reference = run.policies[Compare(run.policies).reference];
  HtmlFigure figure{
      {"memory", "Memory against false reads",
       "Each policy is a line over its bits per key; the vertical axis is logarithmic."}};
  figure.table.head = {"policy",        "filter memory",
                       "bits per key",  "false reads a lookup",
                       "95 % interval", "data blocks a lookup from the file"};
  Chart& chart = figure.chart;
  chart.x = {"filter bits per key", false, Figure, {}};
  chart.y = {"false reads a lookup", true, Figure, {}};
  std::set<std::string> left_out;
  std::map<std::string, std::vector<size_t>> families;  // numbers of policies
  std::vector<std::string> order;                       // families, by their first policy
  for (size_t i = 0; i < run.policies.size(); ++i) {
    if (run.policies[i].filter_bytes == 0) continue;
    std::vector<size_t>& family = families[PolicyFamily(run.policies[i].policy)];
    if (family.empty()) order.push_back(PolicyFamily(run.policies[i].policy));
    family.push_back(i);
  }
  // A policy that is alone on its line keeps its label from the other charts.
  std::vector<std::string> names;
  names.reserve(order.size());
  for (const std::string& family : order) {
    const std::vector<size_t>& members = families[family];
    names.push_back(members.size() == 1 ? view.labels[members.front()] : family);
  }
  names = PolicyLabels(names, kLongestLabel);
  for (size_t f = 0; f < order.size(); ++f) {
    std::vector<size_t>& members = families[order[f]];
    ChartSeries series{names[f], view.colours[members.front()], {}};
    std::sort(members.begin(), members.end(), [&](size_t a, size_t b) {
      return FilterBitsPerKey(run.policies[a]) < FilterBitsPerKey(run.policies[b]);
    });
    for (const size_t i : members) {
      const PolicyResult& policy = run.policies[i];
      if (!Agrees(policy, reference)) {
        left_out.insert(policy.policy);
        continue;
      }
      series.points.push_back(ToChart(policy, w));
      figure.table.rows.push_back(ToRow(policy, w));
    }
    chart.series.push_back(std::move(series));
  }
  figure.says = absl::StrCat("False reads a lookup in ", run.policies[0].workloads[w].name,
                             " and the filter memory really taken.");
  if (!ToSvg(chart).empty()) figure.says += kHowToRead;
  for (const std::string& policy : left_out) {
    absl::StrAppend(&figure.says, " ", policy,
                    " is left out, as its tree differs by more than 2 %.");
  }
  return figure;
}

HtmlFigure TreeFigure(const ReadampView& view) {
  const ReadAmplification& run = view.run;
  const Comparison comparison = Compare(run.policies);
  const PolicyResult& reference = run.policies[comparison.reference];
  HtmlFigure figure{
      {"tree", "Shape of the tree", "A bar for each level of the tree, as long as it has keys."}};
  figure.says = "Keys on each level.";
  if (run.policies.size() > 1) {
    figure.says = absl::StrFormat(
        "Keys on each level, with %s. The trees of the other policies differ by at most %.2f %% "
        "of the keys on any level%s",
        reference.policy, 100 * comparison.largest_level_difference,
        comparison.TreesAgree() ? "."
                                : ", more than the 2 % up to which figures of "
                                  "lookups may be compared.");
  }
  figure.table.head = {"policy",        "level",        "files",  "keys",
                       "filter memory", "bits per key", "filters"};
  for (const LevelShape& level : reference.tree) {
    const std::string text = absl::StrCat(NumberWithCommas(level.keys, "key"), " in ",
                                          NumberWithCommas(level.files, "file"));
    const std::string name = absl::StrCat("level ", level.level);
    figure.chart.bars.push_back(
        WholeBar(name, text, 0, static_cast<double>(level.keys), absl::StrCat(name, ": ", text)));
  }
  for (const PolicyResult& policy : run.policies) {
    for (const LevelShape& level : policy.tree) {
      std::string kinds;
      for (const auto& [kind, files] : level.filters) {
        absl::StrAppend(&kinds, kinds.empty() ? "" : ", ", files, " ", kind);
      }
      figure.table.rows.push_back({policy.policy, absl::StrCat(level.level),
                                   absl::StrCat(level.files), Count(level.keys),
                                   ByteSize(static_cast<double>(level.filter_bytes)),
                                   absl::StrFormat("%.2f", FilterBitsPerKey(level)), kinds});
    }
  }
  return figure;
}

HtmlFigure BitsByLevelFigure(const ReadampView& view) {
  HtmlFigure figure{
      {"bits", "Filter bits by level", "Bits per key on each level, a line for each policy."}};
  figure.says = "Where the memory of the filters goes.";
  figure.table.head = {"policy", "level", "bits per key"};
  Chart& chart = figure.chart;
  chart.x.title = "level";
  chart.y = {"filter bits per key", false, Figure, {}};
  std::set<int> levels;
  for (size_t i = 0; i < view.run.policies.size(); ++i) {
    const PolicyResult& policy = view.run.policies[i];
    if (policy.filter_bytes == 0) continue;
    ChartSeries series{view.labels[i], view.colours[i], {}};
    for (const LevelShape& level : policy.tree) {
      const double bits = FilterBitsPerKey(level);
      levels.insert(level.level);
      series.points.push_back(
          {static_cast<double>(level.level), bits, std::nullopt,
           absl::StrFormat("%s, level %d: %.2f bits per key", policy.policy, level.level, bits)});
      figure.table.rows.push_back(
          {policy.policy, absl::StrCat(level.level), absl::StrFormat("%.2f", bits)});
    }
    chart.series.push_back(std::move(series));
  }
  for (const int level : levels) {
    chart.x.ticks.emplace_back(level, absl::StrCat("L", level));
  }
  return figure;
}

HtmlFigure BuildFigure(const ReadampView& view) {
  HtmlFigure figure{{"build", "Building the filters", "A bar for each policy with filters."}};
  figure.says =
      "Processor time a key, of filters as large as those of the tree, measured apart on one "
      "thread.";
  figure.table.head = {"policy", "nanoseconds a key", "keys measured"};
  for (size_t i = 0; i < view.run.policies.size(); ++i) {
    const PolicyResult& policy = view.run.policies[i];
    if (!policy.build) continue;
    const std::string text = absl::StrCat(Figure(policy.build->ns_per_key), " ns a key");
    figure.chart.bars.push_back(WholeBar(view.labels[i], text, view.colours[i],
                                         policy.build->ns_per_key,
                                         absl::StrCat(policy.policy, ": ", text)));
    figure.table.rows.push_back(
        {policy.policy, Figure(policy.build->ns_per_key), absl::StrCat(policy.build->keys)});
  }
  return figure;
}

}  // namespace winnow::inspect
