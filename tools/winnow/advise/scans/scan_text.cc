#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <cmath>
#include <utility>

#include "src/core/options.h"
#include "src/text/numbers.h"
#include "src/text/text_table.h"
#include "tools/winnow/advise/scans/scan_advice.h"
#include "tools/winnow/cli/json.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

std::string Blocks(double blocks) { return absl::StrFormat("%.3g", blocks); }

std::string NameOf(const ScanFilters& filters) {
  return filters.is_of_ranges() ? "winnow.range" : filters.extractor;
}

Json FiltersJson(const ScanAdvice& advice, const ScanRow& row, const ScanFilters& filters) {
  const bool is_of_ranges = filters.is_of_ranges();
  return {
      {"range_bits", is_of_ranges ? Json(filters.range_bits) : Json(nullptr)},
      {"bytes", static_cast<uint64_t>(std::llround(filters.bytes))},
      {"bits_per_key", row.BitsAKey(filters.bytes)},
      {"blocks_per_scan", advice.AScan(row.reads - filters.spared)},
      {"kind", is_of_ranges ? Json(core::NameOf(kRangeKindOption, filters.kind)) : Json(nullptr)}};
}

Json RowJson(const ScanAdvice& advice, const ScanRow& row) {
  Json json = {{"level", row.level < 0 ? Json(nullptr) : Json(row.level)},
               {"files", row.files},
               {"keys", row.keys},
               {"range_bytes", row.range_bytes},
               {"blocks_per_scan", advice.AScan(row.reads)},
               {"in_vain_per_scan", advice.AScan(row.in_vain)},
               {"blocks_per_scan_now", advice.AScan(row.reads_now())},
               {"range_filters", Json::array()}};
  for (const size_t at : advice.by_auto) {
    json["range_filters"].push_back(FiltersJson(advice, row, row.filters[at]));
  }
  for (const ScanFilters& filters : row.filters) {
    Json of_filters = FiltersJson(advice, row, filters);
    of_filters["prefix_extractor"] = NameOf(filters);
    json["filters"].push_back(std::move(of_filters));
  }
  return json;
}

std::string FilterTable(const ScanAdvice& advice) {
  const ScanRow& all = advice.all;
  TextTable table(
      {{"filters for scans", Align::kLeft}, {"memory"}, {"bits per key"}, {"data blocks a scan"}});
  table.Underline();
  const auto add = [&](const std::string& name, double bytes, double reads) {
    table.AddRow({name, ByteSize(bytes), Bits(all.BitsAKey(bytes)), Blocks(advice.AScan(reads))});
  };
  add("none", 0, all.reads);
  if (!advice.extractor.empty()) {
    table.AddRow({"now", "", "", Blocks(advice.AScan(all.reads_now()))});
  } else if (all.range_bytes > 0) {
    add("now", static_cast<double>(all.range_bytes), all.reads_now());
  }
  for (size_t i = 0; i < all.filters.size(); ++i) {
    const ScanFilters& filters = all.filters[i];
    const bool is_auto = absl::c_linear_search(advice.by_auto, i);
    const std::string name = filters.is_of_ranges()
                                 ? absl::StrFormat("range_bits=%g, %s%s", filters.range_bits,
                                                   core::NameOf(kRangeKindOption, filters.kind),
                                                   is_auto ? " (auto)" : "")
                                 : absl::StrCat("prefix_extractor=", filters.extractor);
    add(name, filters.bytes, all.reads - filters.spared);
  }
  return table.ToString();
}

TextTable::Row LevelRow(const ScanAdvice& advice, const ScanRow& row, std::string name) {
  TextTable::Row cells = {std::move(name),
                          absl::StrCat(row.files),
                          absl::StrCat(row.keys),
                          Blocks(advice.AScan(row.reads)),
                          Blocks(advice.AScan(row.in_vain)),
                          Blocks(advice.AScan(row.reads_now()))};
  for (const size_t at : advice.by_auto) {
    cells.push_back(Blocks(advice.AScan(row.reads - row.filters[at].spared)));
  }
  return cells;
}

std::string LevelTable(const ScanAdvice& advice) {
  std::vector<Column> columns = {{"data blocks a scan, level", Align::kLeft},
                                 {"files"},
                                 {"keys"},
                                 {"unfiltered"},
                                 {"in vain"},
                                 {"now"}};
  for (const size_t at : advice.by_auto) {
    columns.push_back({absl::StrFormat(at == advice.by_auto.front() ? "range_bits=%g" : "%g",
                                       advice.all.filters[at].range_bits)});
  }
  TextTable table(std::move(columns));
  table.Underline();
  for (const ScanRow& row : advice.levels) {
    table.AddRow(LevelRow(advice, row, row.level < 0 ? "unknown" : absl::StrCat(row.level)));
  }
  table.AddRow(LevelRow(advice, advice.all, "all"));
  return table.ToString();
}

}  // namespace

Json ScansJson(const ScanAdvice& advice) {
  Json json = {{"seeks", advice.seeks},
               {"with_bound", advice.with_bound},
               {"followed", advice.scans},
               {"empty", advice.empty},
               {"cross_deletions", advice.cross_deletions},
               {"tried_files", advice.tried_files},
               {"of_files", advice.files},
               {"levels", Json::array()},
               {"all", advice.levels.empty() ? Json(nullptr) : RowJson(advice, advice.all)},
               {"filter_policy", SentenceOrNull(advice.policy)},
               {"prefix_extractor", SentenceOrNull(advice.prefix_extractor)},
               {"recommendation", advice.recommendation},
               {"notes", advice.notes}};
  for (const ScanRow& row : advice.levels) json["levels"].push_back(RowJson(advice, row));
  return json;
}

std::string ScansText(const ScanAdvice& advice, size_t width) {
  std::string text = absl::StrFormat("Scans: %d seeks, %d of them with an upper bound",
                                     advice.seeks, advice.with_bound);
  if (!advice.levels.empty()) {
    absl::StrAppend(&text, "; ", advice.scans, " followed, of which ", advice.empty,
                    " find no key.\n\n", LevelTable(advice), "\n", FilterTable(advice));
  } else {
    absl::StrAppend(&text, ".\n");
  }
  absl::StrAppend(&text, "\n", WrapText(advice.recommendation, width), "\n");
  if (!advice.policy.empty()) {
    absl::StrAppend(&text, "\n    prefix_extractor=", advice.prefix_extractor,
                    "\n    filter_policy=", advice.policy, "\n");
  }
  if (!advice.notes.empty()) absl::StrAppend(&text, "\n");
  for (const std::string& note : advice.notes) {
    absl::StrAppend(&text, WrapText(absl::StrCat("- ", note), width, 2), "\n");
  }
  return text;
}

}  // namespace winnow::inspect
