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

// The text of these numbers: see CountersAsPrometheusText in winnow/rocksdb_filter_loads.h.
std::string PrometheusText(const Counters& counters, const SampleCounters& samples,
                           const FilterLoads& loads, const std::vector<UseRow>& use = {},
                           std::string_view labels = "");

// The text of this process. `labels`, as NAME="VALUE", are those of each sample besides its own.
// May throw std::bad_alloc.
std::string ProcessAsPrometheusText(std::string_view labels = "");

// The value of a label, escaped for quotation marks.
std::string EscapedLabel(std::string_view value);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_PROMETHEUS_TEXT_H_
