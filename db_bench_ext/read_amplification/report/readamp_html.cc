#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "db_bench_ext/read_amplification/report/policy_text.h"
#include "db_bench_ext/read_amplification/report/readamp_charts.h"
#include "db_bench_ext/read_amplification/report/readamp_headline.h"
#include "db_bench_ext/read_amplification/report/report.h"
#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "src/text/report_page.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

// Returns a value as in the JSON; texts without quotes.
std::string Plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void Flatten(const std::string& path, const Json& value,
             std::vector<std::vector<std::string>>* rows) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      Flatten(path.empty() ? name : absl::StrCat(path, ".", name), member, rows);
    }
  } else if (value.is_array() && !value.empty() && value.front().is_structured()) {
    for (size_t i = 0; i < value.size(); ++i) {
      Flatten(absl::StrCat(path, "[", i, "]"), value[i], rows);
    }
  } else {
    rows->push_back({path, Plain(value)});
  }
}

std::string FactTable(const Json& value) {
  HtmlTable table{{"field of the JSON", "value"}, {}};
  Flatten("", value, &table.rows);
  return absl::StrCat("<div class=\"facts\">", ToHtml(table), "</div>");
}

// Returns a table of all values of the JSON, so that no value is only in a chart.
HtmlSection AllFigures(const Json& document) {
  HtmlSection section;
  section.title = "Every figure";
  section.says = "As --json writes them, by the names of schema winnow.readamp/2.";
  Json run = document;
  run.erase("policies");
  section.html = Details("The run", FactTable(run));
  for (const Json& policy : document.at("policies")) {
    section.html += Details(policy.at("policy").get<std::string>(), FactTable(policy));
  }
  return section;
}

HtmlSection HowMeasured(const ReadAmplification& run, const Json& document) {
  HtmlSection section;
  section.title = "How it was measured";
  HtmlTable table{{"what", "value"}, {}};
  const Json& machine = document.at("machine");
  table.rows = {
      {"keys", absl::StrFormat("%s from %s, %.1f bytes each", Count(run.keys), run.keys_from,
                               Ratio(run.key_bytes, run.keys))},
      {"values", ByteSize(static_cast<double>(run.value_size))},
      {"date", run.date},
      {"seed", absl::StrCat(run.seed)},
      {"RocksDB", Plain(document.at("rocksdb_version"))},
      {"Winnow", absl::StrCat(Plain(document.at("winnow_version")), ", kernel ",
                              Plain(document.at("kernel")))},
      {"processor", absl::StrCat(Plain(machine.at("processor")), ", ", Plain(machine.at("threads")),
                                 " threads")},
      {"memory", ByteSize(machine.at("memory_bytes").get<double>())},
      {"system", Plain(machine.at("system"))},
  };
  for (const auto& [name, value] : document.at("settings").items()) {
    table.rows.push_back({name, Plain(value)});
  }
  section.html = absl::StrCat(
      "<p>To run it again:</p>\n<p><code>", Command(run.command), "</code></p>\n",
      "<p>The intervals hold the rate of this tree for lookups drawn as these were, in 95 of 100 "
      "draws: Wilson's for shares of checks, Poisson's for reads a lookup. They say nothing of "
      "other "
      "trees; and as near misses of one key ask the same filters, lookups that repeat keys are not "
      "fully independent, which makes them somewhat too narrow.</p>\n",
      "<div class=\"facts\">", ToHtml(table), "</div>\n");
  return section;
}

std::string KeysOfWorkload(const WorkloadCounts& counts) {
  if (counts.found == counts.lookups) return "every key is there";
  if (counts.found == 0) return "no key is there";
  return absl::StrFormat("%.3g %% of the keys are not there",
                         100 * (1 - Ratio(counts.found, counts.lookups)));
}

HtmlSection WorkloadSection(const ReadampView& view, size_t w) {
  const WorkloadResult& workload = view.run.policies[0].workloads[w];
  HtmlSection section;
  section.title = absl::StrCat(workload.name, ": ", KeysOfWorkload(workload.counts));
  section.says = absl::StrCat(Count(workload.counts.lookups),
                              view.run.policies.size() > 1 ? " lookups on each tree" : " lookups",
                              ". The key of a lookup lies in the range of ",
                              Figure(workload.files_considered_per_lookup), " files.",
                              workload.remark.empty() ? "" : " ", workload.remark);
  section.figures = {FalseReadsFigure(view, w), BlocksFigure(view, w), ChecksFigure(view, w),
                     CacheLoadsFigure(view, w)};
  if (!workload.times.percentiles.empty()) section.figures.push_back(LatencyFigure(view, w));
  return section;
}

bool HasFilters(const ReadAmplification& run) {
  return std::any_of(run.policies.begin(), run.policies.end(),
                     [](const PolicyResult& policy) { return policy.filter_bytes > 0; });
}

std::string Title(const ReadampView& view) {
  const ReadAmplification& run = view.run;
  if (!run.database.empty()) return absl::StrCat("Read amplification of ", Printable(run.database));
  constexpr size_t kMaxNamed = 4;
  return absl::StrCat("Read amplification of ",
                      view.labels.size() <= kMaxNamed
                          ? absl::StrJoin(view.labels, ", ")
                          : absl::StrCat(view.labels.size(), " policies"),
                      " with ", Count(run.keys), " keys from ", Printable(run.keys_from));
}

}  // namespace

std::string ReadAmplificationHtml(const ReadAmplification& run, const Machine& machine) {
  const Json document = Json::parse(ReadAmplificationJson(run, machine));
  const ReadampView view(run);
  ReadampFinding finding = FindingOf(run, ShortPolicy);
  HtmlPage page;
  page.title = Title(view);
  page.headline = std::move(finding.headline);
  page.lead = std::move(finding.lead);
  if (HasFilters(run)) {
    page.lead.emplace_back(
        "A false read is a data block that was read because a filter said \"maybe\" of a file that "
        "does not have the key.");
  }
  for (size_t i = 0; i < view.labels.size() && run.database.empty(); ++i) {
    if (view.labels[i] == run.policies[i].policy) continue;
    page.lead.push_back(absl::StrCat(view.labels[i], " is ", run.policies[i].policy, "."));
  }
  for (const std::string& note : run.notes) page.lead.push_back(absl::StrCat("Note: ", note));
  HtmlSection memory;
  memory.title = "Memory and the tree";
  if (!run.policies[0].workloads.empty()) {
    memory.figures.push_back(MemoryFigure(view, LeadingWorkload(run)));
  }
  memory.figures.push_back(BitsByLevelFigure(view));
  memory.figures.push_back(TreeFigure(view));
  memory.figures.push_back(BuildFigure(view));
  page.sections.push_back(std::move(memory));
  if (!run.heat.empty()) {
    HtmlSection heat;
    heat.title = "Heat of key ranges";
    heat.figures = {GrowthFigure(view), RangeFigure(view)};
    page.sections.push_back(std::move(heat));
  }
  for (size_t w = 0; w < run.policies[0].workloads.size(); ++w) {
    page.sections.push_back(WorkloadSection(view, w));
  }
  page.sections.push_back(HowMeasured(run, document));
  page.sections.push_back(AllFigures(document));
  return ToHtml(page);
}

}  // namespace winnow::inspect
