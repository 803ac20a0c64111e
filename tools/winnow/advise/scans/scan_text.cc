#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <cmath>
#include <utility>

#include "src/text/numbers.h"
#include "src/text/text_table.h"
#include "tools/winnow/advise/scans/scan_advice.h"
#include "tools/winnow/cli/json.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

std::string Blocks(double blocks) { return absl::StrFormat("%.3g", blocks); }

Json RowJson(const ScanAdvice& advice, const ScanRow& row) {
  Json json = {{"level", row.level < 0 ? Json(nullptr) : Json(row.level)},
               {"files", row.files},
               {"keys", row.keys},
               {"range_bytes", row.range_bytes},
               {"blocks_per_scan", advice.AScan(row.reads)},
               {"in_vain_per_scan", advice.AScan(row.in_vain)},
               {"blocks_per_scan_now", advice.AScan(row.reads_now())},
               {"range_filters", Json::array()}};
  for (const ScanStep& step : row.steps) {
    json["range_filters"].push_back({{"range_bits", step.range_bits},
                                     {"bytes", static_cast<uint64_t>(std::llround(step.bytes))},
                                     {"bits_per_key", row.BitsAKey(step.bytes)},
                                     {"blocks_per_scan", advice.AScan(row.reads - step.spared)}});
  }
  return json;
}

std::string StepTable(const ScanAdvice& advice) {
  const ScanRow& all = advice.all;
  TextTable table(
      {{"range filters", Align::kLeft}, {"memory"}, {"bits a key"}, {"data blocks a scan"}});
  table.Underline();
  table.AddRow({"none", ByteSize(0), Bits(0), Blocks(advice.AScan(all.reads))});
  if (all.range_bytes > 0) {
    const auto bytes = static_cast<double>(all.range_bytes);
    table.AddRow(
        {"now", ByteSize(bytes), Bits(all.BitsAKey(bytes)), Blocks(advice.AScan(all.reads_now()))});
  }
  for (const ScanStep& step : all.steps) {
    table.AddRow({absl::StrFormat("range_bits=%g", step.range_bits), ByteSize(step.bytes),
                  Bits(all.BitsAKey(step.bytes)), Blocks(advice.AScan(all.reads - step.spared))});
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
  for (const ScanStep& step : row.steps) {
    cells.push_back(Blocks(advice.AScan(row.reads - step.spared)));
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
  for (const ScanStep& step : advice.all.steps) {
    columns.push_back({absl::StrFormat("range_bits=%g", step.range_bits)});
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
                    " find no key.\n\n", LevelTable(advice), "\n", StepTable(advice));
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
