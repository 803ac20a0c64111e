#include "src/inspect/inspect_html.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "src/inspect/converted_share.h"
#include "src/inspect/html_page.h"
#include "src/inspect/printable.h"
#include "src/inspect/svg_bars.h"
#include "src/inspect/svg_text.h"

namespace winnow::inspect {
namespace {

// By level, unknown ones last, and by kind.
constexpr int kUnknownLevel = 1 << 20;
using TotalsByPlace = std::map<std::pair<int, std::string>, FilterTotals>;

std::string Percent(const std::optional<double>& share) {
  return share ? absl::StrFormat("%.3g %%", 100 * *share) : "unknown";
}

std::string Bits(double bits) { return bits == 0 ? "-" : absl::StrFormat("%.2f", bits); }

std::string Bytes(uint64_t bytes) { return ByteSize(static_cast<double>(bytes)); }

std::string LevelName(int level) {
  return level == kUnknownLevel ? std::string("level not known") : absl::StrCat("level ", level);
}

size_t ColourOf(const std::string& kind) {
  constexpr std::pair<std::string_view, size_t> kColoursOfKinds[] = {
      {kWinnowRibbon, 1}, {kWinnowBloom, 3}, {kBuiltinBloom, 2}, {kBuiltinRibbon, 4}};
  for (const auto& [name, colour] : kColoursOfKinds) {
    if (kind == name) {
      return colour;
    }
  }
  return 0;
}

TotalsByPlace ByPlace(const std::vector<SstReport>& files) {
  TotalsByPlace totals;
  for (const SstReport& file : files) {
    if (file.filter) {
      totals[{file.level.value_or(kUnknownLevel), file.filter->kind}].Add(file);
    }
  }
  return totals;
}

// A bar for each kind on each level, as long as `measure` says.
template <typename Measure>
std::string Chart(const TotalsByPlace& totals, BarChart chart, Measure measure) {
  int named = -1;
  for (const auto& [place, sum] : totals) {
    const auto& [level, kind] = place;
    const auto [value, figure] = measure(sum);
    Bar bar;
    bar.name = level == named ? std::string() : LevelName(level);
    named = level;
    bar.figure = absl::StrCat(figure, ", ", kind);
    bar.colour = ColourOf(kind);
    bar.parts.push_back({value, "", absl::StrCat(LevelName(level), ", ", kind, ": ", figure)});
    chart.bars.push_back(std::move(bar));
  }
  return ToSvg(chart);
}

std::vector<std::string> SumHead(std::vector<std::string> names) {
  for (const char* name : {"files", "without a filter", "entries", "keys", "filter bytes",
                           "bits a key", "expected rate", "over the bound"}) {
    names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> SumRow(std::vector<std::string> names, const FilterTotals& sum) {
  const std::optional<double> above = sum.share_above_bound();
  for (std::string cell :
       {Count(sum.files), Count(sum.without_filter), Count(sum.entries), Count(sum.keys),
        Count(sum.bytes), Bits(sum.bits_per_key()), Percent(sum.mean_fpr()),
        above ? absl::StrFormat("%.0f %%", 100 * *above) : std::string("-")}) {
    names.push_back(std::move(cell));
  }
  return names;
}

HtmlTable PlaceTable(const TotalsByPlace& totals) {
  HtmlTable table{SumHead({"level", "filter"}), {}};
  for (const auto& [place, sum] : totals) {
    table.rows.push_back(SumRow({LevelName(place.first), place.second}, sum));
  }
  return table;
}

HtmlFigure BytesFigure(const TotalsByPlace& totals) {
  HtmlFigure figure;
  figure.title = "Bytes of filters by level and kind";
  figure.says =
      "What the filters of a level take on disk, and in the block cache once they are "
      "read.";
  figure.svg = Chart(totals, {"bytes", figure.title, figure.says, {}}, [](const FilterTotals& sum) {
    return std::pair(static_cast<double>(sum.bytes), Bytes(sum.bytes));
  });
  figure.table = PlaceTable(totals);
  return figure;
}

// Files without a filter would leave no room for the others: they are in the sums.
HtmlFigure RateFigure(TotalsByPlace totals) {
  for (auto entry = totals.begin(); entry != totals.end();) {
    entry = entry->first.second == kNoFilter ? totals.erase(entry) : std::next(entry);
  }
  HtmlFigure figure;
  figure.title = "Expected rate of false positives by level and kind";
  figure.says =
      "The share of absent keys for which a filter says \"may be here\": the mean over "
      "keys. Files without a filter are left out here: any key may be in them.";
  figure.svg = Chart(totals, {"rate", figure.title, figure.says, {}}, [](const FilterTotals& sum) {
    return std::pair(sum.mean_fpr().value_or(0), Percent(sum.mean_fpr()));
  });
  figure.table = PlaceTable(totals);
  return figure;
}

std::string SumTables(const TotalsOfFiles& totals) {
  std::string html;
  if (totals.by_family.size() > 1) {
    HtmlTable table{SumHead({"column family", "database"}), {}};
    for (const auto& [name, sum] : totals.by_family) {
      table.rows.push_back(SumRow({Printable(name.second), Printable(name.first)}, sum));
    }
    html += ToHtml(table);
  }
  HtmlTable table{SumHead({"filter"}), {}};
  for (const auto& [kind, sum] : totals.by_kind) {
    table.rows.push_back(SumRow({kind}, sum));
  }
  table.rows.push_back(SumRow({"all"}, totals.all));
  return html + ToHtml(table);
}

std::string List(const std::vector<std::string>& sentences) {
  std::string html;
  for (const std::string& sentence : sentences) {
    absl::StrAppend(&html, "<li>", EscapeHtml(sentence), "</li>\n");
  }
  return absl::StrCat("<ul>\n", html, "</ul>\n");
}

std::vector<std::string> FileRow(const SstReport& file) {
  const std::string level = file.level ? absl::StrCat(*file.level) : "-";
  if (!file.filter) {
    return {Printable(file.path),
            level,
            Printable(file.column_family),
            "-",
            "not read",
            "-",
            "-",
            "-",
            "-",
            file.error.value_or("")};
  }
  const FilterSummary& filter = *file.filter;
  std::string remark = ParametersText(filter);
  if (filter.partitions > 0) {
    remark =
        absl::StrCat(Count(static_cast<uint64_t>(filter.partitions)),
                     filter.partitions == 1 ? " partition: " : " partitions, the first: ", remark);
  }
  if (filter.fault) {
    remark = absl::StrCat("fault: ", *filter.fault);
  }
  return {Printable(file.path),
          level,
          Printable(file.column_family),
          Count(file.entries),
          filter.kind,
          Count(filter.keys),
          Count(filter.bytes),
          Bits(filter.bits_per_key),
          Percent(filter.expected_fpr),
          remark};
}

HtmlSection FilesSection(const InspectReport& report) {
  HtmlSection section;
  section.title = "Files";
  if (report.left_out() > 0) {
    section.says = absl::StrCat(Count(report.listed), " of ", Count(report.files.size()),
                                " files are listed; the sums are over all of them.");
  }
  HtmlTable table{{"file", "level", "column family", "entries", "filter", "keys", "bytes",
                   "bits a key", "expected rate", "parameters"},
                  {}};
  for (size_t i = 0; i < report.listed; ++i) {
    table.rows.push_back(FileRow(report.files[i]));
  }
  section.html = absl::StrCat("<div class=\"files\">", ToHtml(table), "</div>\n");
  return section;
}

std::string Headline(const FilterTotals& all) {
  if (all.keys == 0) {
    return absl::StrCat("No filters in ", Count(all.files), all.files == 1 ? " file" : " files");
  }
  return absl::StrCat("Filters of ", Bytes(all.bytes), " let ", Percent(all.mean_fpr()),
                      " of absent keys through, at ", Bits(all.bits_per_key()), " bits a key");
}

std::string Converted(const InspectReport& report) {
  const ConvertedShare share = SumByFamily(report.files);
  const std::optional<double> converted = share.OfEntries();
  if (!converted) {
    return std::string();
  }
  // A share that isn't all or nothing must not look as if it were.
  const double percent = 100 * *converted;
  const std::string shown = percent > 0 && percent < 0.1      ? "Less than 0.1 %"
                            : percent > 99.9 && percent < 100 ? "More than 99.9 %"
                                                              : absl::StrFormat("%.1f %%", percent);
  return absl::StrCat(shown, " of the entries are in files with Winnow's filters.");
}

}  // namespace

std::string InspectHtml(const InspectReport& report, const std::vector<std::string>& paths) {
  const FilterTotals& all = report.totals.all;
  const TotalsByPlace places = ByPlace(report.files);
  HtmlPage page;
  page.title = "Filters";
  page.headline = Headline(all);
  page.lead.push_back(absl::StrCat(
      Count(report.files.size()), report.files.size() == 1 ? " table file" : " table files", " of ",
      absl::StrJoin(
          paths, ", ",
          [](std::string* out, const std::string& path) { absl::StrAppend(out, Printable(path)); }),
      " with ", Count(all.entries), " entries; ", Count(all.without_filter), " without a filter, ",
      Count(all.not_read), " not read. ", Converted(report)));
  if (const std::optional<double> above = all.share_above_bound()) {
    page.lead.push_back(absl::StrCat(
        ByteSize(std::max(0.0, all.bytes_above_bound())),
        absl::StrFormat(" (%.0f %%)", 100 * *above),
        " are above the bound: n log2(1/rate) bits, the least that any filter of n keys and that "
        "rate takes."));
  }
  if (!places.empty()) {
    HtmlSection sums;
    sums.title = "Sums";
    sums.figures = {BytesFigure(places), RateFigure(places)};
    sums.html = SumTables(report.totals);
    page.sections.push_back(std::move(sums));
  }
  std::vector<std::string> sentences = report.advice;
  sentences.insert(sentences.end(), report.remarks.begin(), report.remarks.end());
  if (!sentences.empty()) {
    HtmlSection advice;
    advice.title = "What to do and to know";
    advice.html = List(sentences);
    page.sections.push_back(std::move(advice));
  }
  page.sections.push_back(FilesSection(report));
  return ToHtml(page);
}

}  // namespace winnow::inspect
