#include "streams/filter_family/page.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "src/text/numbers.h"
#include "src/text/report_page.h"
#include "streams/filter_family/published.h"

namespace winnow::bench {
namespace {

using inspect::Percent;

// Kinds in the chart, which has no room for all: counting filters take four times as many bits.
constexpr const char* kDrawn[] = {
    "bound",          "Winnow Ribbon", "binary fuse, 4-wise", "binary fuse, 3-wise", "xor",
    "standard Bloom", "cuckoo",        "blocked Bloom"};

double Bits(const FamilyRow& row) {
  return row.measured ? row.measured->bits_per_key : row.formula_bits;
}

// Returns the distinct values in the order of the rows.
template <typename Value, typename Get>
std::vector<Value> Distinct(const std::vector<FamilyRow>& rows, Get get) {
  std::vector<Value> values;
  for (const FamilyRow& row : rows) {
    if (std::find(values.begin(), values.end(), get(row)) == values.end()) {
      values.push_back(get(row));
    }
  }
  return values;
}

std::vector<std::string> Kinds(const std::vector<FamilyRow>& rows) {
  return Distinct<std::string>(rows, [](const FamilyRow& row) { return row.kind; });
}

std::vector<double> Rates(const std::vector<FamilyRow>& rows) {
  return Distinct<double>(rows, [](const FamilyRow& row) { return row.rate; });
}

const FamilyRow* Find(const std::vector<FamilyRow>& rows, const std::string& kind, double rate) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const FamilyRow& row) {
    return row.kind == kind && std::abs(row.rate - rate) < 1e-9 * rate;
  });
  return found == rows.end() ? nullptr : &*found;
}

using Line = std::vector<std::string>;

// Returns a Markdown table with the first column aligned left, and the others right.
std::string Table(const Line& head, const std::vector<Line>& lines) {
  std::string table = absl::StrCat("| ", absl::StrJoin(head, " | "), " |\n|---|");
  for (size_t i = 1; i < head.size(); ++i) table += "---:|";
  table += "\n";
  for (const Line& line : lines) absl::StrAppend(&table, "| ", absl::StrJoin(line, " | "), " |\n");
  return table;
}

// Returns a table with a line for each measured kind and a column for each rate.
template <typename Cell>
std::string TableOfRates(const std::vector<FamilyRow>& rows, bool with_formulas, Cell cell) {
  Line head = {""};
  for (const double rate : Rates(rows)) head.push_back(Percent(rate));
  std::vector<Line> lines;
  for (const std::string& kind : Kinds(rows)) {
    Line line = {kind};
    bool any = false;
    for (const double rate : Rates(rows)) {
      const FamilyRow* row = Find(rows, kind, rate);
      const bool is_there =
          row != nullptr && (row->measured || (with_formulas && row->formula_bits > 0));
      any |= is_there;
      line.push_back(is_there ? cell(*row) : "-");
    }
    if (any) lines.push_back(std::move(line));
  }
  return Table(head, lines);
}

std::string PublishedTable(const std::vector<FamilyRow>& rows) {
  std::vector<Line> lines;
  for (const Published& figure : PublishedFigures()) {
    Line line = {figure.kind};
    for (size_t i = 0; i < 3; ++i) {
      const FamilyRow* row = Find(rows, figure.kind, kPublishedRates[i]);
      const double bits = row == nullptr ? 0 : Bits(*row);
      line.push_back(bits > 0 ? absl::StrFormat("%.2f", bits) : "-");
      line.push_back(figure.bits[i] ? absl::StrFormat("%g", *figure.bits[i]) : "-");
      line.push_back(bits > 0 && figure.bits[i]
                         ? absl::StrFormat("%+.1f %%", 100 * (bits / *figure.bits[i] - 1))
                         : "-");
    }
    line.push_back(figure.why);
    lines.push_back(std::move(line));
  }
  return absl::StrReplaceAll(Table({"", "1 %", "published", "", "0.1 %", "published", "", "0.01 %",
                                    "published", "", "where a difference comes from"},
                                   lines),
                             {{"---:|\n", "---|\n"}});
}

std::string TimesTable(const std::vector<FamilyRow>& rows, double rate) {
  std::vector<Line> lines;
  for (const std::string& kind : Kinds(rows)) {
    const FamilyRow* row = Find(rows, kind, rate);
    if (row == nullptr || !row->measured) continue;
    lines.push_back({kind, absl::StrFormat("%.1f", row->measured->build_ns),
                     absl::StrFormat("%.1f", row->measured->absent_ns),
                     absl::StrFormat("%.1f", row->measured->present_ns), row->grows ? "yes" : "no",
                     row->deletes ? "yes" : "no"});
  }
  return Table({absl::StrCat("at ", Percent(rate)), "build, ns a key", "absent, ns", "present, ns",
                "keys can be added", "removed"},
               lines);
}

}  // namespace

std::string FamilyChart(const std::vector<FamilyRow>& rows) {
  inspect::Chart chart{"family", "Bits a key over the rate",
                       "A line for each kind of filter; lower is better"};
  chart.x.title = "false-positive rate";
  chart.x.logarithmic = true;
  std::vector<double> rates = Rates(rows);
  // Low rates are on the right, where the curves are apart and have their labels.
  std::sort(rates.rbegin(), rates.rend());
  for (const double rate : rates) chart.x.ticks.emplace_back(1 / rate, Percent(rate));
  chart.y.title = "bits per key";
  chart.y.format = [](double bits) { return absl::StrFormat("%g", bits + 0.0); };  // no -0
  for (const char* kind : kDrawn) {
    inspect::ChartSeries series;
    series.label = kind;
    series.colour = chart.series.size();
    for (const double rate : rates) {
      const FamilyRow* row = Find(rows, kind, rate);
      if (row == nullptr || Bits(*row) <= 0) continue;
      inspect::ChartPoint point;
      point.x = 1 / rate;
      point.y = Bits(*row);
      point.says = absl::StrFormat("%s at %s: %.2f bits per key", kind, Percent(rate), point.y);
      series.points.push_back(std::move(point));
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  return inspect::StandaloneSvg(chart);
}

std::string FamilyPage(const FamilyOptions& options, const std::vector<FamilyRow>& rows,
                       const std::string& command, const std::string& chart) {
  std::string page = absl::StrCat(
      "# The kinds of filters side by side\n\n"
      "Printed by `",
      command, "`: ", options.keys,
      " random keys, every kind built of the same ones at the same rates. Bits are all that a "
      "filter "
      "keeps of its keys. The bound is log2(1/rate), below which no filter of that rate can be; "
      "xor+ "
      "is a formula as well. Kinds of whole bits have a lower rate than was asked for.\n\n"
      "![Bits a key over the rate](",
      chart, ")\n\n## Bits a key\n\n",
      TableOfRates(rows, true,
                   [](const FamilyRow& row) { return absl::StrFormat("%.2f", Bits(row)); }),
      "\n## Beside published figures\n\n", PublishedTable(rows),
      "\n## Rates\n\nMeasured, in %, and in brackets how many standard deviations of the lookups "
      "from what the filter reports of itself.\n\n",
      TableOfRates(
          rows, false,
          [](const FamilyRow& row) {
            const Measured& m = *row.measured;
            const double lookups = static_cast<double>(m.lookups);
            const double expected = m.expected_rate * lookups;
            const double sigma = std::sqrt(std::max(expected * (1 - m.expected_rate), 1e-9));
            return absl::StrFormat("%.4g (%+.1f)", 100 * static_cast<double>(m.passed) / lookups,
                                   (static_cast<double>(m.passed) - expected) / sigma);
          }),
      "\n## Times\n\nOne thread, one key after the other, medians of ", options.repetitions,
      ". A machine that does other work makes all of them longer: they compare kinds, and are no "
      "limits.\n\n");
  for (const double rate : Rates(rows)) absl::StrAppend(&page, TimesTable(rows, rate), "\n");
  page.pop_back();
  return page;
}

std::string FamilyJson(const FamilyOptions& options, const std::vector<FamilyRow>& rows) {
  nlohmann::ordered_json json = {{"schema", "winnow.family/1"},
                                 {"keys", options.keys},
                                 {"seed", options.seed},
                                 {"repetitions", options.repetitions},
                                 {"rows", nlohmann::ordered_json::array()}};
  for (const FamilyRow& row : rows) {
    nlohmann::ordered_json entry = {{"kind", row.kind}, {"rate", row.rate}};
    if (row.formula_bits > 0) entry["formula_bits_per_key"] = row.formula_bits;
    if (row.measured) {
      const Measured& m = *row.measured;
      entry["deletes"] = row.deletes;
      entry["grows"] = row.grows;
      entry["bits_per_key"] = m.bits_per_key;
      entry["expected_rate"] = m.expected_rate;
      entry["lookups"] = m.lookups;
      entry["passed"] = m.passed;
      entry["build_ns"] = m.build_ns;
      entry["absent_ns"] = m.absent_ns;
      entry["present_ns"] = m.present_ns;
    }
    json["rows"].push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

}  // namespace winnow::bench
