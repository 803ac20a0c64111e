#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "src/text/report_page.h"
#include "tools/winnow/findings/converted_share.h"
#include "tools/winnow/findings/file_columns.h"
#include "tools/winnow/inspect/inspect_report.h"

namespace winnow::inspect {
namespace {

// Keys are level and kind; kUnknownLevel sorts last.
constexpr int kUnknownLevel = 1 << 20;
constexpr std::string_view kNotKnown = "unknown";
using TotalsByPlace = std::map<std::pair<int, std::string>, FilterTotals>;

std::string Bytes(uint64_t bytes) { return ByteSize(static_cast<double>(bytes)); }

std::string LevelName(int level) {
  return level == kUnknownLevel ? std::string("level not known") : absl::StrCat("level ", level);
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

// Returns the index of the color of a kind's bars; 0 is gray, for no or unknown filters.
size_t ColourOf(std::string_view kind) {
  constexpr std::string_view kColoured[] = {kWinnowRibbon, kBuiltinBloom, kWinnowBloom,
                                            kBuiltinRibbon};
  const auto* const found = std::find(std::begin(kColoured), std::end(kColoured), kind);
  return found == std::end(kColoured) ? 0 : 1 + static_cast<size_t>(found - kColoured);
}

// Returns the titles of a table of sums. "over the bound" excludes range filters, whose bits have
// their own column.
std::vector<std::string> SumHead(std::vector<std::string> names) {
  for (const char* name : {"files", "without a filter", "entries", "keys", "filter bytes",
                           "bits per key", "of range filters", "expected rate", "over the bound"}) {
    names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> SumRow(std::vector<std::string> names, const FilterTotals& sum) {
  const std::optional<double> above = sum.share_above_bound();
  for (std::string cell : {Count(sum.files), Count(sum.without_filter), Count(sum.entries),
                           Count(sum.keys), Count(sum.bytes), Bits(sum.bits_per_key()),
                           Bits(sum.range_bits_per_key()), Percent(sum.mean_fpr(), kNotKnown),
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

// Returns a bar chart with one bar per level and kind; `measure` returns a bar's length and label.
template <typename Measure>
HtmlFigure FigureByPlace(const TotalsByPlace& totals, const char* id, const char* title,
                         const char* says, Measure measure) {
  HtmlFigure figure{{id, title, says}, says, PlaceTable(totals)};
  int named = -1;
  for (const auto& [place, sum] : totals) {
    const auto& [level, kind] = place;
    const auto [value, text] = measure(sum);
    figure.chart.bars.push_back(WholeBar(level == named ? std::string() : LevelName(level),
                                         absl::StrCat(text, ", ", kind), ColourOf(kind), value,
                                         absl::StrCat(LevelName(level), ", ", kind, ": ", text)));
    named = level;
  }
  return figure;
}

HtmlFigure BytesFigure(const TotalsByPlace& totals) {
  return FigureByPlace(
      totals, "bytes", "Bytes of filters by level and kind",
      "What the filters of a level take on disk, and in the block cache once they are read.",
      [](const FilterTotals& sum) {
        return std::pair(static_cast<double>(sum.bytes), Bytes(sum.bytes));
      });
}

// Leaves out files without a filter: their rate of 1 would shrink all other bars.
HtmlFigure RateFigure(TotalsByPlace totals) {
  for (auto entry = totals.begin(); entry != totals.end();) {
    entry = entry->first.second == kNoFilter ? totals.erase(entry) : std::next(entry);
  }
  return FigureByPlace(
      totals, "rate", "Expected rate of false positives by level and kind",
      "The share of absent keys for which a filter says \"may be here\": the mean over "
      "keys. Files without a filter are left out here: any key may be in them.",
      [](const FilterTotals& sum) {
        return std::pair(sum.mean_fpr().value_or(0), Percent(sum.mean_fpr(), kNotKnown));
      });
}

// Returns a bar chart of the tenths of the last level's keys, with all levels in the table.
HtmlFigure LearnedFigure(const LearnedBits& bits, size_t number) {
  const char* const says =
      "Files that more lookups of absent keys reach have more bits. The bars are tenths of the "
      "keys of the last level, in their order.";
  HtmlFigure figure{{absl::StrCat("learned", number),
                     absl::StrCat("Bits a key by range, ", Printable(bits.family.second)), says},
                    says};
  for (size_t i = 0; i < bits.tenths.size(); ++i) {
    const std::string name = absl::StrFormat("%d to %d %% of the keys", 10 * i, 10 * i + 10);
    const std::string text = Bits(bits.tenths[i]);
    figure.chart.bars.push_back(WholeBar(name, text, ColourOf(kWinnowRibbon), bits.tenths[i],
                                         absl::StrCat(name, ": ", text)));
  }
  figure.table.head = {"level", "files", "least bits per key", "mean", "most"};
  for (const BitsOfLevel& level : bits.levels) {
    figure.table.rows.push_back({LevelName(level.level), Count(level.files), Bits(level.least),
                                 Bits(level.mean), Bits(level.most)});
  }
  return figure;
}

std::string FamilyTable(const std::map<FamilyName, FilterTotals>& families) {
  constexpr size_t kMaxAtOnce = 12;  // a longer table is folded, to keep the next section in sight
  const bool one_database = families.begin()->first.first == families.rbegin()->first.first;
  HtmlTable table{SumHead({"column family"}), {}};
  if (!one_database) {
    table.head.emplace(table.head.begin() + 1, "database");
  }
  for (const auto& [name, sum] : families) {
    std::vector<std::string> names = {Printable(name.second)};
    if (!one_database) {
      names.push_back(Printable(name.first));
    }
    table.rows.push_back(SumRow(std::move(names), sum));
  }
  if (families.size() <= kMaxAtOnce) {
    return ToHtml(table);
  }
  return Details(absl::StrCat("The sums of ", Count(families.size()), " column families"),
                 ToHtml(table));
}

std::string SumTables(const TotalsOfFiles& totals) {
  HtmlTable table{SumHead({"filter"}), {}};
  for (const auto& [kind, sum] : totals.by_kind) {
    table.rows.push_back(SumRow({kind}, sum));
  }
  table.rows.push_back(SumRow({"all"}, totals.all));
  return (totals.by_family.size() > 1 ? FamilyTable(totals.by_family) : "") + ToHtml(table);
}

std::string List(std::vector<std::string>::const_iterator begin,
                 std::vector<std::string>::const_iterator end) {
  std::string html;
  for (; begin != end; ++begin) {
    absl::StrAppend(&html, "<li>", Prose(*begin), "</li>\n");
  }
  return absl::StrCat("<ul>\n", html, "</ul>\n");
}

// Returns the sentences as a list, folded after kMaxAtOnce: each of many column families may have
// its own.
std::string List(const std::vector<std::string>& sentences) {
  constexpr std::ptrdiff_t kMaxAtOnce = 20;
  const auto count = static_cast<std::ptrdiff_t>(sentences.size());
  const auto middle = sentences.begin() + std::min(kMaxAtOnce, count);
  const std::string rest = count <= kMaxAtOnce ? ""
                                               : Details(absl::StrCat(count - kMaxAtOnce, " more"),
                                                         List(middle, sentences.end()));
  return List(sentences.begin(), middle) + rest;
}

HtmlSection FilesSection(const InspectReport& report) {
  HtmlSection section;
  section.title = "Files";
  HtmlTable table;
  for (const Column& column : ColumnsOf(Output::kPage)) {
    table.head.push_back(column.title);
  }
  for (size_t i = 0; i < report.files.size(); ++i) {
    if (i < report.listed || report.files[i].error) {
      table.rows.push_back(CellsOf(report.files[i], Output::kPage));
    }
  }
  if (table.rows.size() < report.files.size()) {
    section.says = absl::StrCat(
        Count(table.rows.size()), " of ", Count(report.files.size()), " files are listed",
        report.totals.all.not_read > 0 ? ", with all that could not be read" : "",
        "; the sums are over all of them.");
  }
  if (table.rows.empty()) {
    return section;
  }
  section.html = absl::StrCat("<div class=\"files\">", ToHtml(table), "</div>\n");
  return section;
}

std::string TableFiles(uint64_t files) { return NumberWithCommas(files, "SST file"); }

std::string Headline(const FilterTotals& all) {
  if (all.bytes == 0) {
    return absl::StrCat("No filters in ", TableFiles(all.files));
  }
  const std::string filters = absl::StrCat("Filters of ", Bytes(all.bytes));
  if (all.keys == 0) {
    return absl::StrCat(filters, " in ", TableFiles(all.files),
                        ", of keys whose number is not known");
  }
  const std::optional<double> rate = all.mean_fpr();
  const double range_bits = all.range_bits_per_key();
  return absl::StrCat(
      filters,
      rate ? absl::StrCat(" let ", Percent(rate), " of absent keys through, at ")
           : std::string(" take "),
      Bits(all.bits_per_key() - range_bits), " bits per key",
      range_bits == 0 ? "" : absl::StrCat(", and range filters take ", Bits(range_bits), " more"));
}

// Returns at most kMax paths, or else the first one and the number of others: a shell pattern may
// match thousands.
std::string Names(const std::vector<std::string>& paths) {
  constexpr size_t kMax = 3;
  const size_t named = paths.size() <= kMax ? paths.size() : 1;
  std::string names = absl::StrJoin(
      paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(named), ", ",
      [](std::string* out, const std::string& path) { absl::StrAppend(out, Printable(path)); });
  if (named < paths.size()) {
    absl::StrAppend(&names, " and ", Count(paths.size() - named), " more");
  }
  return names;
}

std::string Converted(const InspectReport& report) {
  const ConvertedShare share = SumByFamily(report.files);
  const std::optional<double> converted = share.OfEntries();
  const std::string unread = WhatIsUnread(report);
  const std::string begin =
      unread.empty() ? "" : absl::StrCat("How much is converted is not known, as ", unread);
  if (!converted) {
    return unread.empty() ? begin : begin + ".";
  }
  std::string shown = PartOfAll(*converted);
  if (unread.empty())
    shown.front() = absl::ascii_toupper(static_cast<unsigned char>(shown.front()));
  return absl::StrCat(begin, unread.empty() ? "" : "; of what was read ", shown,
                      " of the entries are in files with Winnow's filters.");
}

}  // namespace

std::string InspectHtml(const InspectReport& report, const std::vector<std::string>& paths) {
  const FilterTotals& all = report.totals.all;
  const TotalsByPlace places = ByPlace(report.files);
  HtmlPage page;
  page.title = absl::StrCat("Filters of ", Names(paths));
  page.headline = Headline(all);
  page.lead.push_back(absl::StrCat(TableFiles(report.files.size()), " with ", Count(all.entries),
                                   " entries; ", Count(all.without_filter), " without a filter, ",
                                   Count(all.not_read), " not read. ", Converted(report)));
  if (const std::optional<double> above = all.share_above_bound()) {
    page.lead.push_back(absl::StrCat(
        ByteSize(std::max(0.0, all.bytes_above_bound())),
        absl::StrFormat(" (%.0f %%)", 100 * *above),
        " are above the bound: n log2(1/rate) bits, the least that any filter of n keys and that "
        "rate takes",
        all.range_bytes > 0 ? ", without range filters." : "."));
  }
  if (!places.empty()) {
    HtmlSection sums;
    sums.title = "Sums";
    if (all.bytes > 0) {
      sums.figures = {BytesFigure(places), RateFigure(places)};
      for (const LearnedBits& bits : report.learned) {
        sums.figures.push_back(LearnedFigure(bits, sums.figures.size()));
      }
    }
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
  if (!report.files.empty()) {
    page.sections.push_back(FilesSection(report));
  }
  return ToHtml(page);
}

}  // namespace winnow::inspect
