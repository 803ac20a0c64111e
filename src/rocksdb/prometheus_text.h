// Counters in Prometheus' text format.

#ifndef WINNOW_SRC_ROCKSDB_PROMETHEUS_TEXT_H_
#define WINNOW_SRC_ROCKSDB_PROMETHEUS_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/rocksdb/counters.h"
#include "src/rocksdb/use/use_meter.h"
#include "winnow/rocksdb_filter_loads.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Formats these counters: see CountersAsPrometheusText in winnow/rocksdb_filter_loads.h.
std::string PrometheusText(const Counters& counters, const SampleCounters& samples,
                           const FilterLoads& loads, const std::vector<UseRow>& use = {},
                           std::string_view labels = "");

// Formats the counters of this process. Each sample also gets `labels`, as NAME="VALUE". May throw
// std::bad_alloc.
std::string ProcessAsPrometheusText(std::string_view labels = "");

// Escapes the value of a label for quotation marks.
std::string EscapedLabel(std::string_view value);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_PROMETHEUS_TEXT_H_
