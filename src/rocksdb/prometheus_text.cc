#include "src/rocksdb/prometheus_text.h"

#include <rocksdb/version.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <utility>

#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/use/use_text.h"
#include "src/simd/kernels.h"
#include "winnow/version.h"

namespace winnow {
namespace plugin {
namespace {

std::string Label(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + EscapedLabel(value) + "\"";
}

// Writer of Prometheus' text format:
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
class Page {
 public:
  // Labels, as NAME="VALUE", and values.
  using Samples = std::initializer_list<std::pair<std::string, uint64_t>>;

  // `common` has the labels of all samples; may be empty.
  explicit Page(std::string_view common) : common_(common) {}

  void Counter(std::string_view name, std::string_view help, uint64_t value) {
    Metric(name, help, "counter", Samples{{"", value}});
  }
  void Gauge(std::string_view name, std::string_view help, uint64_t value) {
    Metric(name, help, "gauge", Samples{{"", value}});
  }

  // Adds a metric with these pairs of labels and values.
  template <typename Pairs>
  void Metric(std::string_view name, std::string_view help, std::string_view type,
              const Pairs& samples) {
    Add({"# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n"});
    for (const auto& [own, value] : samples) {
      const std::string labels = own + (own.empty() || common_.empty() ? "" : ",") + common_;
      Add({name, labels.empty() ? "" : "{", labels, labels.empty() ? " " : "} "});
      Add({std::to_string(value), "\n"});
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  void Add(std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) text_ += part;
  }

  const std::string common_;
  std::string text_;
};

void AddBuilt(const Counters& counters, Page* page) {
  page->Metric("winnow_filters_built_total", "Filters that were built, by kind.", "counter",
               Page::Samples{{Label("kind", "bloom"), counters.bloom_filters},
                             {Label("kind", "ribbon"), counters.ribbon_filters},
                             {Label("kind", "empty"), counters.empty_filters}});
  page->Counter("winnow_filters_unbuilt_total",
                "Filters that memory was too short for: lookups read their files.",
                counters.unbuilt_filters);
  page->Counter("winnow_filter_keys_built_total", "Keys in the filters that were built.",
                counters.keys);
  page->Counter("winnow_filter_built_bytes_total", "Sizes of the filters that were built.",
                counters.bytes);
  page->Counter("winnow_filter_built_bloom_bytes_total",
                "Sizes of the Bloom filters that were built.", counters.bloom_bytes);
  page->Counter("winnow_filter_built_bloom_as_ribbon_bytes_total",
                "What the Bloom filters that were built would take as Ribbon filters.",
                counters.bloom_bytes_as_ribbons);
}

void AddLookups(const Counters& counters, const SampleCounters& samples, Page* page) {
  page->Counter("winnow_filter_lookups_total",
                "Keys that Winnow's filters were asked for, once for each filter.",
                counters.lookups);
  page->Counter("winnow_filter_lookup_hashes_total",
                "Hashes of keys that were computed for lookups in Winnow's filters.",
                counters.hashes);
  page->Counter(
      "winnow_filter_lookup_hashes_shared_total",
      "Lookups in Winnow's filters that needed no hash of their key, as it had been computed for "
      "another filter.",
      counters.hashes_shared);
  page->Counter("winnow_ranges_asked_total",
                "Seeks with a bound that range filters were asked for, once for each filter.",
                counters.ranges_asked);
  page->Counter("winnow_ranges_denied_total",
                "Seeks with a bound that a range filter spared the read of its file.",
                counters.ranges_denied);
  page->Counter("winnow_lookups_sampled_total",
                "Filter checks that were counted, to learn from lookups.", samples.lookups_sampled);
  page->Counter("winnow_filters_learned_total", "Filters whose bits lookups changed.",
                samples.filters_learned);
}

void AddLoads(const Counters& counters, const FilterLoads& loads, Page* page) {
  page->Metric("winnow_filters_loaded_total",
               "Filter blocks that were loaded for lookups, each time that one was; unusable: "
               "Winnow's with a fault, which let every key through.",
               "counter",
               Page::Samples{{Label("filter", "winnow"), counters.loaded_winnow},
                             {Label("filter", "builtin"), counters.loaded_builtin},
                             {Label("filter", "unusable"), counters.loaded_unusable}});
  page->Counter("winnow_filter_loads_total", "Filter blocks that were loaded through policies.",
                loads.blocks);
  page->Counter("winnow_filter_load_bytes_total",
                "Sizes of the filter blocks that were loaded through policies.", loads.bytes);
  page->Counter("winnow_filter_loads_again_total",
                "Filter blocks that were loaded again within ten minutes.", loads.blocks_again);
  page->Counter("winnow_filter_load_again_bytes_total",
                "Sizes of the filter blocks that were loaded again within ten minutes.",
                loads.bytes_again);
  page->Counter("winnow_filter_loads_unknown_total",
                "Loads of filters that memory was too short to remember.", loads.blocks_unknown);
  page->Counter("winnow_filter_load_alarms_total",
                "Alarms that the same filters are loaded again and again.", loads.alarms);
  page->Gauge("winnow_filter_recent_loads", "Filter blocks loaded in the last 60 s.",
              loads.minute_blocks);
  page->Gauge("winnow_filter_recent_load_bytes",
              "Sizes of the filter blocks loaded in the last 60 s.", loads.minute_bytes);
  page->Gauge(
      "winnow_filter_recent_loads_again",
      "Filter blocks loaded in the last 60 s that were loaded in the ten minutes before, too.",
      loads.minute_blocks_again);
  page->Gauge(
      "winnow_filter_recent_load_again_bytes",
      "Sizes of the filter blocks loaded in the last 60 s that were loaded in the ten minutes "
      "before, too.",
      loads.minute_bytes_again);
  page->Gauge(
      "winnow_filter_recent_filters_again",
      "Different filters loaded in the last 60 s that were loaded in the ten minutes before, "
      "too.",
      loads.minute_filters_again);
  page->Gauge("winnow_filter_recent_load_again_ten_minutes_bytes",
              "Sizes of the filter blocks of the last 600 s that were loaded again.",
              loads.ten_minutes_bytes_again);
  page->Gauge("winnow_filters_in_use", "Different filters that were loaded in the last 600 s.",
              loads.filters);
  page->Gauge(
      "winnow_filters_in_use_bytes",
      "Sizes of the different filters that were loaded in the last 600 s: what a cache would "
      "need for all of them.",
      loads.filter_bytes);
  page->Gauge("winnow_filters_in_use_largest_bytes",
              "Size of the largest filter that was loaded in the last 600 s.",
              loads.largest_filter_bytes);
  page->Gauge("winnow_filter_meter_counts_one_of",
              "The figures of loads know one filter in so many; 1: each.", loads.counted_one_of);
  page->Gauge("winnow_filter_meter_memory_bytes", "What the figures of loads take in memory.",
              loads.meter_bytes);
}

// Maximum length of a label with a list of names. A policy's text is never cut.
constexpr size_t kLabelCharacters = 120;

// Adds the use metrics. Policies with equal labels are summed.
void AddUse(const std::vector<UseRow>& rows, Page* page) {
  if (rows.empty()) return;
  std::map<std::string, UseSums> by_labels;
  for (const UseRow& row : rows) {
    by_labels[Label("policy", Joined({row.policy})) + "," +
              Label("database", Joined(row.databases, kLabelCharacters)) + "," +
              Label("families", Joined(row.families, kLabelCharacters)) + "," +
              Label("level", std::to_string(row.level))] += row.sums;
  }
  const auto add = [&](std::string_view name, std::string_view help, std::string_view type,
                       auto value) {
    std::map<std::string, uint64_t> values;
    for (const auto& [labels, sums] : by_labels) {
      values.emplace(labels, static_cast<uint64_t>(value(sums)));
    }
    page->Metric(name, help, type, values);
  };
  add("winnow_filter_use_asks_total",
      "Keys and prefixes that filters of a policy and level were asked for, as an estimate.",
      "counter", [](const UseSums& sums) { return sums.asks; });
  add("winnow_filter_use_denied_total",
      "Keys and prefixes that filters of a policy and level answered with no, as an estimate.",
      "counter", [](const UseSums& sums) { return sums.denied; });
  add("winnow_filter_use_false_positives_total",
      "False positives expected among the keys and prefixes that filters of a policy and level let "
      "through.",
      "counter", [](const UseSums& sums) { return std::llround(sums.false_positives); });
  add("winnow_filter_use_asks_counted_total",
      "Keys and prefixes that filters of a policy and level were asked for and that were counted: "
      "estimates are from them.",
      "counter", [](const UseSums& sums) { return sums.asks_counted; });
  add("winnow_filter_use_ranges_asked_total",
      "Seeks with a bound that range filters of a policy and level were asked for.", "counter",
      [](const UseSums& sums) { return sums.ranges_asked; });
  add("winnow_filter_use_ranges_denied_total",
      "Seeks with a bound that range filters of a policy and level spared the read of their file.",
      "counter", [](const UseSums& sums) { return sums.ranges_denied; });
  add("winnow_filter_use_filters",
      "Filters of a policy and level, or partitions of filters, that are in memory.", "gauge",
      [](const UseSums& sums) { return sums.filters; });
  add("winnow_filter_use_keys", "Keys in the filters of a policy and level that are in memory.",
      "gauge", [](const UseSums& sums) { return sums.keys; });
  add("winnow_filter_use_bytes", "Sizes of the filters of a policy and level that are in memory.",
      "gauge", [](const UseSums& sums) { return sums.bytes; });
}

}  // namespace

std::string EscapedLabel(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? "\\n" : std::string(1, c);
  }
  return escaped;
}

std::string PrometheusText(const Counters& counters, const SampleCounters& samples,
                           const FilterLoads& loads, const std::vector<UseRow>& use,
                           std::string_view labels) {
  Page page(labels);
  page.Metric("winnow_build_info", "Versions of Winnow and of the RocksDB in which it is in force.",
              "gauge",
              Page::Samples{{Label("version", Version()) + "," +
                                 Label("rocksdb", ROCKSDB_NAMESPACE::GetRocksVersionAsString()) +
                                 "," + Label("kernels", simd::ActiveKernels().name),
                             1}});
  AddBuilt(counters, &page);
  AddLookups(counters, samples, &page);
  AddLoads(counters, loads, &page);
  AddUse(use, &page);
  return page.Take();
}

std::string ProcessAsPrometheusText(std::string_view labels) {
  return PrometheusText(CurrentCounters(), CurrentSampleCounters(), CurrentFilterLoads(),
                        UseMeter::ReadWithIdle(), labels);
}

}  // namespace plugin

std::string CountersAsPrometheusText() noexcept {
  try {
    return plugin::ProcessAsPrometheusText();
  } catch (...) {
    return {};
  }
}

}  // namespace winnow
