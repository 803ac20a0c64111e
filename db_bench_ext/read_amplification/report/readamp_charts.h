// Charts of a run's results, each with its table.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_CHARTS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_CHARTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "src/text/report_page.h"

namespace winnow::inspect {

// A run with the data shared by its charts: a policy has the same label and color in all of them.
struct ReadampView {
  explicit ReadampView(const ReadAmplification& shown);

  const ReadAmplification& run;
  std::vector<std::string> labels;  // one per policy
  std::vector<size_t> colours;      // one per policy; 0 for policies without filters
};

// Figures of all workloads (readamp_tree_charts.cc). False reads over memory are of workload number
// w.
HtmlFigure MemoryFigure(const ReadampView& view, size_t w);
HtmlFigure TreeFigure(const ReadampView& view);
HtmlFigure BitsByLevelFigure(const ReadampView& view);
HtmlFigure BuildFigure(const ReadampView& view);

// Figures of lookups by the heat of key ranges (readamp_heat_charts.cc).
HtmlFigure GrowthFigure(const ReadampView& view);
HtmlFigure RangeFigure(const ReadampView& view);

// Figures of workload number w (readamp_lookup_charts.cc).
HtmlFigure FalseReadsFigure(const ReadampView& view, size_t w);
HtmlFigure BlocksFigure(const ReadampView& view, size_t w);
HtmlFigure ChecksFigure(const ReadampView& view, size_t w);
HtmlFigure LatencyFigure(const ReadampView& view, size_t w);

// Figure of block cache loads in workload number w (readamp_cache_charts.cc); empty without a block
// cache.
HtmlFigure CacheLoadsFigure(const ReadampView& view, size_t w);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_CHARTS_H_
