#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "src/text/text_table.h"
#include "tools/winnow/cli/terminal.h"
#include "tools/winnow/findings/converted_share.h"
#include "tools/winnow/findings/file_columns.h"
#include "tools/winnow/findings/filter_totals.h"
#include "tools/winnow/inspect/inspect_report.h"

namespace winnow::tools {
namespace {

using inspect::Align;
using inspect::Bits;
using inspect::BitsOfLevel;
using inspect::ConvertedShare;
using inspect::FamilySum;
using inspect::FilterFamily;
using inspect::FilterTotals;
using inspect::InspectReport;
using inspect::LearnedBits;
using inspect::Number;
using inspect::Output;
using inspect::PartOfAll;
using inspect::Percent;
using inspect::SstReport;
using inspect::TotalsOfFiles;

std::string Wrapped(const std::string& text, size_t width) {
  return width == 0 ? text : inspect::WrapText(text, width, 2);
}

std::string Files(const InspectReport& report, size_t width, size_t most_rows,
                  absl::string_view about_others) {
  const size_t listed = std::min(report.listed, most_rows);
  const size_t left_out = report.files.size() - listed;
  std::vector<std::vector<std::string>> rows;
  rows.reserve(listed);
  for (size_t i = 0; i < listed; ++i) {
    rows.push_back(CellsOf(report.files[i], Output::kTable));
  }
  std::string text;
  if (!rows.empty()) {
    text = absl::StrCat("\n", FittedTable(ColumnsOf(Output::kTable), std::move(rows), width));
  }
  if (left_out > 0 && !about_others.empty()) {
    absl::StrAppend(&text, "\n",
                    Wrapped(absl::StrCat(left_out, left_out == 1 ? " file is" : " files are",
                                         " not listed", about_others),
                            width),
                    "\n");
  }
  return text;
}

std::string Sentences(const std::vector<SstReport>& files) {
  std::string text;
  for (const SstReport& file : files) {
    if (!file.error && file.filter->fault) {
      absl::StrAppend(&text, "\nfault: ", inspect::Printable(file.path), ": ",
                      inspect::Printable(*file.filter->fault));
    }
  }
  return text.empty() ? text : absl::StrCat(text, "\n");
}

std::vector<std::string> SumCells(std::string name, const FilterTotals& sum) {
  const std::optional<double> above = sum.share_above_bound();
  return {std::move(name),
          absl::StrCat(sum.files),
          absl::StrCat(sum.without_filter),
          absl::StrCat(sum.entries),
          absl::StrCat(sum.keys),
          absl::StrCat(sum.bytes),
          Bits(sum.bits_per_key()),
          Percent(sum.mean_fpr()),
          above ? absl::StrFormat("%.0f %%", 100 * *above) : "-"};
}

std::string Sums(const std::string& title, std::vector<std::vector<std::string>> rows,
                 size_t width) {
  return absl::StrCat("\n", FittedTable({{title, Align::kLeft},
                                         {"files"},
                                         {"no filter"},
                                         {"entries"},
                                         {"keys"},
                                         {"bytes"},
                                         {"bits/key"},
                                         {"fpr"},
                                         {"over bound"}},
                                        std::move(rows), width));
}

std::string SumsByFamily(const TotalsOfFiles& totals, size_t width) {
  std::vector<std::vector<std::string>> rows;
  const bool one_database = totals.by_family.empty() || totals.by_family.begin()->first.first ==
                                                            totals.by_family.rbegin()->first.first;
  for (const auto& [name, sum] : totals.by_family) {
    std::string shown = name.second.empty() ? "?" : inspect::Printable(name.second);
    if (!one_database) {
      shown = absl::StrCat(name.first.empty() ? "-" : inspect::Printable(name.first), " ", shown);
    }
    rows.push_back(SumCells(std::move(shown), sum));
  }
  return rows.size() < 2 ? std::string() : Sums("column family", std::move(rows), width);
}

std::string SumsByLevel(const TotalsOfFiles& totals, size_t width) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [level, sum] : totals.by_level) {
    rows.push_back(SumCells(absl::StrCat(level), sum));
  }
  return rows.empty() ? std::string() : Sums("level", std::move(rows), width);
}

std::string SumsByKind(const TotalsOfFiles& totals, size_t width) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [kind, sum] : totals.by_kind) {
    rows.push_back(SumCells(kind, sum));
  }
  rows.push_back(SumCells("all", totals.all));
  return Sums("filter", std::move(rows), width);
}

// Draws a horizontal bar for the bits of each tenth of the keys.
std::string Tenths(const std::vector<double>& tenths, int level, size_t width) {
  constexpr double kLongest = 40;
  const double most = tenths.empty() ? 0 : *std::max_element(tenths.begin(), tenths.end());
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < tenths.size(); ++i) {
    const auto length = static_cast<size_t>(kLongest * tenths[i] / most + 0.5);
    rows.push_back({absl::StrFormat("%d to %d %%", 10 * i, 10 * i + 10), Bits(tenths[i]),
                    std::string(length, '#')});
  }
  return rows.empty() ? std::string()
                      : absl::StrCat("\n", FittedTable({{absl::StrCat("keys of level ", level)},
                                                        {"bits/key"},
                                                        {"", Align::kLeft}},
                                                       std::move(rows), width));
}

std::string Learned(const InspectReport& report, size_t width) {
  std::string text;
  for (const LearnedBits& bits : report.learned) {
    const std::string whose = report.totals.by_family.size() > 1
                                  ? absl::StrCat(" of ", inspect::Printable(bits.family.second))
                                  : std::string();
    std::vector<std::vector<std::string>> rows;
    for (const BitsOfLevel& level : bits.levels) {
      rows.push_back({absl::StrCat(level.level), absl::StrCat(level.files), Bits(level.least),
                      Bits(level.mean), Bits(level.most)});
    }
    absl::StrAppend(
        &text, "\n",
        Wrapped(absl::StrCat("bits that follow lookups: bits per key", whose, ", by file"), width),
        "\n",
        FittedTable({{"level", Align::kLeft}, {"files"}, {"least"}, {"mean"}, {"most"}},
                    std::move(rows), width),
        Tenths(bits.tenths, bits.levels.back().level, width));
  }
  return text;
}

// Returns "db: " or "2 databases: "; empty if some file belongs to no database.
std::string Databases(const std::vector<SstReport>& files) {
  std::set<std::string> databases;
  for (const SstReport& file : files) {
    databases.insert(file.database);
  }
  const bool some_by_themselves = databases.count("") > 0;
  return some_by_themselves      ? std::string()
         : databases.size() == 1 ? absl::StrCat(inspect::Printable(*databases.begin()), ": ")
                                 : absl::StrCat(databases.size(), " databases: ");
}

// Explains why keys and entries differ, if they do: prefixes, older versions of keys, deletions.
std::string KeysAndEntries(const std::vector<SstReport>& files, size_t width) {
  const bool differ = std::any_of(files.begin(), files.end(), [](const SstReport& file) {
    return file.filter && file.filter->keys > 0 && file.filter->keys != file.entries;
  });
  return differ ? absl::StrCat(
                      "\n",
                      Wrapped("keys: what the filters were built from, each once: whole keys, "
                              "prefixes of keys, or both; entries: what the tables hold, with "
                              "deletions, merges and older versions of keys",
                              width),
                      "\n")
                : std::string();
}

// Returns a summary in a line or two, which also introduces the columns below.
std::string Headline(const InspectReport& report, size_t width) {
  const FilterTotals& all = report.totals.all;
  std::string text =
      absl::StrCat(Databases(report.files), Number(report.files.size(), "file"),
                   all.not_read > 0 ? absl::StrCat(", ", all.not_read, " of them not read") : "",
                   ", ", all.entries, all.entries == 1 ? " entry" : " entries");
  if (all.keys > 0) {
    absl::StrAppend(&text, "; filters of ", inspect::ByteSize(static_cast<double>(all.bytes)),
                    " for ", Number(all.keys, "key"), ", ", Bits(all.bits_per_key()), " bits each");
    if (all.range_bytes > 0) {
      absl::StrAppend(&text, ", of which range filters take ",
                      inspect::ByteSize(static_cast<double>(all.range_bytes)));
    }
  }
  if (all.keys > 0 && all.mean_fpr()) {
    absl::StrAppend(&text, "; ", Percent(all.mean_fpr()),
                    " of absent keys are let through, by the mean over keys");
  }
  if (const std::optional<double> above = all.share_above_bound()) {
    absl::StrAppend(
        &text, "; ", inspect::ByteSize(std::max(0.0, all.bytes_above_bound())),
        absl::StrFormat(" (%.0f %%) above the bound, the least that any filter of that rate takes",
                        100 * *above),
        all.range_bytes > 0 ? ", without range filters" : "");
  }
  return absl::StrCat(Wrapped(text, width), "\n");
}

std::string AdviceLines(const InspectReport& report, size_t width) {
  std::string text;
  for (const std::string& sentence : report.advice) {
    absl::StrAppend(&text, "\n", Wrapped(absl::StrCat("advice: ", sentence), width));
  }
  return text.empty() ? text : absl::StrCat(text, "\n");
}

// Returns the size of all Bloom filters and of Ribbon filters in their place. The files with a
// Bloom filter, small ones or those above bloom_before_level, are listed in the tables above.
std::string Blooms(const std::vector<SstReport>& files, size_t width) {
  const inspect::BloomFiles blooms = inspect::BloomsOf(files);
  if (blooms.all.blocks == 0) {
    return {};
  }
  std::string where = blooms.files > 0 ? Number(blooms.files, "file") : "";
  if (blooms.partitions > 0) {
    absl::StrAppend(&where, where.empty() ? "" : " and ", Number(blooms.partitions, "partition"));
  }
  const bool is_one = blooms.all.blocks == 1;
  const std::string text =
      absl::StrCat(where, is_one ? " has a Bloom filter: " : " have Bloom filters: ",
                   Number(blooms.all.bytes, "byte"), " for ", Number(blooms.all.keys, "key"),
                   is_one ? "; as a Winnow Ribbon filter it would take about "
                          : "; as Winnow Ribbon filters they would take about ",
                   blooms.all.bytes_as_ribbons,
                   absl::StrFormat(" (%.2f)", static_cast<double>(blooms.all.bytes_as_ribbons) /
                                                  static_cast<double>(blooms.all.bytes)));
  return absl::StrCat("\n", Wrapped(text, width), "\n");
}

// Returns the progress of a roll-out in one line; empty if there is nothing to convert.
std::string Converted(const InspectReport& report) {
  const ConvertedShare share = inspect::SumByFamily(report.files);
  const std::string unread = inspect::WhatIsUnread(report);
  const std::string begin =
      absl::StrCat("\nconverted: ", unread.empty() ? "" : "not known, as ", unread);
  FamilySum all;
  for (const FamilySum& sum : share.families) {
    all.files += sum.files;
    all.entries += sum.entries;
  }
  if (all.entries == 0) {
    return unread.empty() ? std::string() : absl::StrCat(begin, "\n");
  }
  constexpr std::pair<FilterFamily, absl::string_view> kPhrases[] = {
      {FilterFamily::kBuiltin, "RocksDB's own filters"},
      {FilterFamily::kNone, "no filter"},
      {FilterFamily::kUnknownForm, "filters of unknown form"}};
  const auto share_of = [&all](const FamilySum& sum) {
    return PartOfAll(static_cast<double>(sum.entries) / static_cast<double>(all.entries));
  };
  const FamilySum& winnow = share[FilterFamily::kWinnow];
  std::string text = absl::StrCat(
      begin, unread.empty() ? "" : "; of what was read ", share_of(winnow),
      " of the entries are in files with Winnow's filters (", winnow.files, " of ", all.files, ")");
  for (const auto& [family, phrase] : kPhrases) {
    const FamilySum& sum = share[family];
    if (sum.files > 0) {
      absl::StrAppend(&text, ", ", share_of(sum), " in files with ", phrase, " (", sum.files, ")");
    }
  }
  return text + "\n";
}

}  // namespace

std::string InspectTable(const InspectReport& report, size_t width, size_t rows,
                         absl::string_view about_others) {
  if (report.files.empty()) {
    return report.not_selected == 0
               ? absl::StrCat("no SST files\n", Converted(report))
               : absl::StrCat("none of the ", Number(report.not_selected, "SST file"),
                              " is of these column families and levels\n");
  }
  std::string text = Headline(report, width);
  if (report.totals.all.files > 0) {
    absl::StrAppend(&text, SumsByFamily(report.totals, width), SumsByLevel(report.totals, width),
                    SumsByKind(report.totals, width), Learned(report, width),
                    KeysAndEntries(report.files, width), Blooms(report.files, width));
  }
  // The list is left out if no file could be read.
  return absl::StrCat(
      text, AdviceLines(report, width), Converted(report),
      report.totals.all.files > 0 ? Files(report, width, rows, about_others) : std::string(),
      Sentences(report.files));
}

}  // namespace winnow::tools
