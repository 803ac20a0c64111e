#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>

#include "db_bench_ext/read_amplification/report/readamp_charts.h"
#include "db_bench_ext/read_amplification/report/readamp_comparison.h"
#include "src/text/numbers.h"
#include "src/text/rate_interval.h"
#include "src/text/report_page.h"

namespace winnow::inspect {
namespace {

std::string IntervalText(const Interval& interval) {
  return absl::StrCat(Figure(interval.low), " to ", Figure(interval.high));
}

Bar OneBar(const ReadampView& view, size_t i, const std::string& what, double value, bool first) {
  const std::string text = absl::StrCat(what, ": ", Figure(value));
  Bar bar = WholeBar(first ? view.labels[i] : "", text, view.colours[i], value,
                     absl::StrCat(view.run.policies[i].policy, ", ", text));
  bar.pale = !first;
  return bar;
}

double BlocksNeeded(const PolicyResult& policy, size_t w) {
  const WorkloadCounts& counts = policy.workloads[w].counts;
  return Ratio(counts.data_blocks_accessed, counts.lookups);
}

// Returns whether the policy has no filters and reads so much that its bar would make the others'
// invisible.
bool IsOffTheScale(const ReadAmplification& run, const PolicyResult& policy, size_t w) {
  constexpr double kMax = 8;
  double most = 0;
  for (const PolicyResult& other : run.policies) {
    if (other.filter_bytes > 0) most = std::max(most, BlocksNeeded(other, w));
  }
  return policy.filter_bytes == 0 && most > 0 && BlocksNeeded(policy, w) > kMax * most;
}

std::string IdOf(const char* chart, size_t w) { return absl::StrCat(chart, "-", w); }

// Returns the position of a percentile on a logarithmic axis of nines: 90 % is 1, 99 % is 2.
double Nines(double percent, double last) { return -std::log10(1 - std::min(percent, last) / 100); }

}  // namespace

HtmlFigure FalseReadsFigure(const ReadampView& view, size_t w) {
  HtmlFigure figure{{IdOf("false-reads", w), "False reads a lookup, by level",
                     "A bar for each policy with filters, one part for each level."}};
  figure.says = "Each bar is cut into levels, L0 first.";
  figure.table.head = {"policy",        "level",
                       "filter checks", "said no",
                       "false reads",   "false reads a lookup",
                       "95 % interval", "false reads a check",
                       "95 % interval", "blocks from the file, any type"};
  std::string without;
  for (size_t i = 0; i < view.run.policies.size(); ++i) {
    const PolicyResult& policy = view.run.policies[i];
    const WorkloadCounts& counts = policy.workloads[w].counts;
    if (counts.filter_checks == 0) {
      absl::StrAppend(
          &without, without.empty() ? " " : ", ", policy.policy, " asks no filter and has ",
          Figure(Ratio(counts.data_blocks_accessed, counts.lookups)), " data blocks a lookup");
      continue;
    }
    Bar bar{view.labels[i], "", view.colours[i], false, {}};
    const auto add = [&](const std::string& level, const LevelCounts& of) {
      const double rate = Ratio(of.false_positive_block_reads, counts.lookups);
      bar.parts.push_back(
          {rate, level,
           absl::StrCat(policy.policy, ", ", level, ": ", Figure(rate), " false reads a lookup")});
      figure.table.rows.push_back(
          {policy.policy, level, absl::StrCat(of.filter_checks), absl::StrCat(of.useful),
           absl::StrCat(of.false_positive_block_reads), Figure(rate),
           IntervalText(PoissonInterval(of.false_positive_block_reads, counts.lookups)),
           Figure(Ratio(of.false_positive_block_reads, of.filter_checks)),
           IntervalText(WilsonInterval(of.false_positive_block_reads, of.filter_checks)),
           absl::StrCat(of.blocks_read)});
    };
    uint64_t known = 0;
    for (const LevelCounts& level : counts.levels) {
      if (level.filter_checks == 0) continue;
      add(absl::StrCat("L", level.level), level);
      known += level.false_positive_block_reads;
    }
    if (known < counts.false_positive_block_reads || bar.parts.empty()) {
      LevelCounts rest;
      rest.filter_checks = counts.filter_checks;
      rest.useful = counts.useful;
      rest.false_positive_block_reads = counts.false_positive_block_reads - known;
      add("level not known", rest);
    }
    bar.figure = absl::StrCat(Figure(FalseReads(counts)), " (",
                              IntervalText(FalseReadsInterval(counts)), ")");
    figure.chart.bars.push_back(std::move(bar));
  }
  if (!without.empty()) absl::StrAppend(&figure.says, without, ".");
  return figure;
}

HtmlFigure BlocksFigure(const ReadampView& view, size_t w) {
  const ReadAmplification& run = view.run;
  HtmlFigure figure{
      {IdOf("blocks", w), "Data blocks a lookup",
       "Two bars for each policy: data blocks needed, and data blocks from the file."}};
  figure.says = run.cache_size == 0
                    ? "Without a block cache: every block comes from the file."
                    : absl::StrCat(
                          "Full: all that were needed, as many as without a block cache. "
                          "Pale: those that came from the file, with a cache of ",
                          ByteSize(static_cast<double>(run.cache_size)), ".");
  figure.table.head = {"policy",
                       "false reads a lookup",
                       "data blocks a lookup",
                       "of these from the file",
                       "95 % interval",
                       "bytes read a lookup",
                       "bytes read to bytes of values"};
  std::vector<Bar>& bars = figure.chart.bars;
  for (size_t i = 0; i < run.policies.size(); ++i) {
    const WorkloadCounts& counts = run.policies[i].workloads[w].counts;
    const double from_file = Ratio(counts.data_blocks_read, counts.lookups);
    if (IsOffTheScale(run, run.policies[i], w)) {
      absl::StrAppend(&figure.says, " Off the scale: ", run.policies[i].policy, ", with ",
                      Figure(BlocksNeeded(run.policies[i], w)), " needed and ", Figure(from_file),
                      " from the file.");
    } else {
      bars.push_back(OneBar(view, i, "needed", BlocksNeeded(run.policies[i], w), true));
      bars.push_back(OneBar(view, i, "from the file", from_file, false));
    }
    figure.table.rows.push_back(
        {run.policies[i].policy, Figure(FalseReads(counts)),
         Figure(Ratio(counts.data_blocks_accessed, counts.lookups)),
         Figure(Ratio(counts.data_blocks_read, counts.lookups)),
         IntervalText(PoissonInterval(counts.data_blocks_read, counts.lookups)),
         Figure(Ratio(counts.bytes_read, counts.lookups)),
         counts.value_bytes == 0 ? "no values"
                                 : Figure(Ratio(counts.bytes_read, counts.value_bytes))});
  }
  return figure;
}

HtmlFigure ChecksFigure(const ReadampView& view, size_t w) {
  HtmlFigure figure{{IdOf("checks", w), "Checks and hashes a lookup",
                     "Two bars for each policy with filters: checks, and hashes."}};
  figure.table.head = {"policy",  "files considered", "filter checks",
                       "said no", "hashes computed",  "hashes shared"};
  bool some_hashes = false;
  std::vector<Bar>& bars = figure.chart.bars;
  for (size_t i = 0; i < view.run.policies.size(); ++i) {
    const WorkloadResult& workload = view.run.policies[i].workloads[w];
    const WorkloadCounts& counts = workload.counts;
    const auto per_lookup = [&](const std::optional<uint64_t>& count) {
      return count ? Figure(Ratio(*count, counts.lookups)) : "not known";
    };
    figure.table.rows.push_back({view.run.policies[i].policy,
                                 Figure(workload.files_considered_per_lookup),
                                 Figure(Ratio(counts.filter_checks, counts.lookups)),
                                 Figure(Ratio(counts.useful, counts.lookups)),
                                 per_lookup(counts.hashes), per_lookup(counts.hashes_shared)});
    if (counts.filter_checks == 0) continue;
    bars.push_back(OneBar(view, i, "checks", Ratio(counts.filter_checks, counts.lookups), true));
    if (counts.hashes) {
      some_hashes = true;
      bars.push_back(OneBar(view, i, "hashes", Ratio(*counts.hashes, counts.lookups), false));
    }
  }
  figure.says = bars.empty() ? "No filter was asked."
                : some_hashes
                    ? "Full: filters asked. Pale: hashes computed for it; the other checks took a "
                      "hash over from the filter before."
                    : "Filters asked.";
  return figure;
}

HtmlFigure LatencyFigure(const ReadampView& view, size_t w) {
  HtmlFigure figure{{IdOf("latency", w), "Time of a lookup",
                     "Percentiles of the time of a lookup, a line for each policy."}};
  const WorkloadTimes& first = view.run.policies[0].workloads[w].times;
  const PolicyResult& reference = view.run.policies[Compare(view.run.policies).reference];
  const size_t rounds = first.ops_per_second_by_round.size();
  figure.says = absl::StrCat(
      "A mark at 99 % says that 99 % of the lookups took no longer than its time. ",
      Count(first.lookups), " lookups",
      rounds == 1
          ? ""
          : absl::StrCat(" in each of ", rounds, " rounds; this is the round of median speed"),
      ". The slowest also show what else the machine did meanwhile.",
      view.run.policies.size() < 2
          ? ""
          : absl::StrCat(" A ? stands where the difference from ", reference.policy,
                         " is not resolved: rounds of the two are equally fast, or fewer than "
                         "three."));
  figure.table.head = {"policy", "lookups a second"};
  Chart& chart = figure.chart;
  chart.x = {"share of lookups", false, {}, {}};
  chart.y = {"time", true, Duration, {}};
  double last = 50;
  for (const Percentile& percentile : first.percentiles) {
    if (percentile.percent < 100) last = std::max(last, percentile.percent);
    figure.table.head.push_back(percentile.percent == 100 ? "slowest"
                                                          : absl::StrCat(percentile.percent, " %"));
  }
  for (const double percent : {25.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99}) {
    if (percent <= last && percent != 25 && percent != 75) {
      chart.x.ticks.emplace_back(Nines(percent, last), absl::StrCat(percent, " %"));
    }
  }
  for (size_t i = 0; i < view.run.policies.size(); ++i) {
    const PolicyResult& policy = view.run.policies[i];
    const WorkloadTimes& times = policy.workloads[w].times;
    ChartSeries series{view.labels[i], view.colours[i], {}};
    const bool is_told = &policy == &reference || SpeedsDiffer(times, reference.workloads[w].times);
    std::vector<std::string> row = {
        policy.policy, absl::StrCat(Figure(times.ops_per_second), is_told ? "" : " ?")};
    for (const Percentile& percentile : times.percentiles) {
      const double ns = static_cast<double>(percentile.nanoseconds);
      row.push_back(Duration(ns));
      if (percentile.percent < 25 || percentile.percent == 100) continue;
      series.points.push_back({Nines(percentile.percent, last), ns, std::nullopt,
                               absl::StrCat(policy.policy, ": ", percentile.percent,
                                            " % of the lookups took at most ", Duration(ns))});
    }
    chart.series.push_back(std::move(series));
    figure.table.rows.push_back(std::move(row));
  }
  return figure;
}

}  // namespace winnow::inspect
