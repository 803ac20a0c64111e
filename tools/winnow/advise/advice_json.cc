#include "tools/winnow/advise/advice_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/winnow/advise/scans/scan_advice.h"
#include "tools/winnow/cli/json.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json Bytes(double bytes) { return static_cast<uint64_t>(std::llround(bytes)); }

Json Ratio(double value, double now) { return now > 0 ? Json(value / now) : Json(nullptr); }

Json FamilyJson(const AdviceFamilyReport& family) {
  Json json = {{"database", SentenceOrNull(family.database)},
               {"name", family.name},
               {"files", family.files},
               {"keys", family.keys},
               {"keys_by_level", Json::array()},
               {"filter_bytes", family.filter_bytes},
               {"lookups", family.lookups},
               {"absent_lookups", family.absent},
               {"false_reads_per_lookup", family.false_reads},
               {"keys_compacted", family.keys_compacted}};
  if (family.range_bytes > 0) json["range_bytes"] = family.range_bytes;
  for (const auto& [level, keys] : family.keys_by_level) {
    json["keys_by_level"].push_back(
        {{"level", level < 0 ? Json(nullptr) : Json(level)}, {"keys", keys}});
  }
  return json;
}

Json CompactedJson(const AdviceRow& row, const AdviceRow& now) {
  if (!row.compacted) {
    return nullptr;
  }
  return {{"filter_bytes", Bytes(row.compacted->bytes)},
          {"false_reads_per_lookup", row.compacted->false_reads},
          {"false_reads_to_now", now.compacted
                                     ? Ratio(row.compacted->false_reads, now.compacted->false_reads)
                                     : Json(nullptr)}};
}

Json RowJson(const AdviceRow& row, const AdviceRow& now) {
  const bool is_now = &row == &now;
  return {{"title", TitleOf(row.purpose)},
          {"policies", row.policies},
          {"policy", SentenceOrNull(row.OnePolicy())},
          {"filter_bytes", Bytes(row.bytes)},
          {"bytes_to_now", Ratio(row.bytes, now.bytes)},
          {"false_reads_per_lookup", row.false_reads},
          {"interval", is_now ? Json({row.interval.low, row.interval.high}) : Json(nullptr)},
          {"counted_false_reads", OrNull(row.counted)},
          {"false_reads_to_now", Ratio(row.false_reads, now.false_reads)},
          {"compacted", CompactedJson(row, now)}};
}

Json BudgetJson(const Advice& advice) {
  if (!advice.budget_bytes) {
    return nullptr;
  }
  Json json = {{"bytes", Bytes(*advice.budget_bytes)},
               {"fits", advice.FitsBudget()},
               {"taken_bytes", Bytes(advice.budget_taken)},
               {"least_bytes", Bytes(advice.least_bytes)},
               {"rest_buys_nothing", advice.budget_is_enough},
               {"one_policy", SentenceOrNull(advice.one_policy)},
               {"parts", Json::array()}};
  for (const BudgetPart& part : advice.budget) {
    json["parts"].push_back({{"family", advice.families[part.family].name},
                             {"policy", part.policy},
                             {"filter_bytes", Bytes(part.bytes)},
                             {"false_reads_per_lookup", part.false_reads}});
  }
  return json;
}

}  // namespace

std::string AdviceJson(const Advice& advice, const std::vector<std::string>& warnings) {
  Json json = {{"families", Json::array()},
               {"lookups",
                {{"recorded", advice.recorded},
                 {"count", advice.lookups},
                 {"absent", advice.absent},
                 {"left_out", advice.lookups_left_out},
                 {"dropped", advice.lookups_dropped}}},
               {"rows", Json::array()},
               {"curve", Json::array()},
               {"budget", BudgetJson(advice)},
               {"choice", SentenceOrNull(advice.verdict.choice)},
               {"recommendation", advice.verdict.says},
               {"assumptions", advice.verdict.notes},
               {"errors", Json::array()},
               {"warnings", warnings}};
  for (const AdviceFamilyReport& family : advice.families) {
    json["families"].push_back(FamilyJson(family));
  }
  for (const AdviceRow& row : advice.rows) {
    json["rows"].push_back(RowJson(row, advice.rows.front()));
  }
  for (const CurvePoint& point : advice.curve) {
    json["curve"].push_back({{"policy", point.policy},
                             {"filter_bytes", Bytes(point.bytes)},
                             {"false_reads_per_lookup", point.false_reads}});
  }
  for (const FileError& error : advice.errors) {
    json["errors"].push_back({{"path", error.path}, {"error", *error.error}});
  }
  if (advice.scans) json["scans"] = ScansJson(*advice.scans);
  return Document("winnow.advise/3", json);
}

}  // namespace winnow::inspect
