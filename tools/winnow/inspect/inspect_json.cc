#include "tools/winnow/cli/json.h"
#include "tools/winnow/findings/converted_share.h"
#include "tools/winnow/findings/file_columns.h"
#include "tools/winnow/findings/filter_totals.h"
#include "tools/winnow/inspect/inspect_report.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const FilterTotals& totals) {
  Json json = {{"files", totals.files},
               {"files_not_read", totals.not_read},
               {"files_without_filter", totals.without_filter},
               {"entries", totals.entries},
               {"entries_without_filter", totals.entries_without_filter},
               {"file_bytes", totals.file_bytes},
               {"keys", totals.keys},
               {"bytes", totals.bytes},
               {"bits_per_key", totals.bits_per_key()},
               {"mean_expected_fpr", OrNull(totals.mean_fpr())},
               {"bound_bytes", totals.bound_bytes()},
               {"bytes_above_bound", totals.bytes_above_bound()}};
  if (totals.range_bytes > 0) json["range_bytes"] = totals.range_bytes;
  return json;
}

Json ToJson(const TotalsOfFiles& totals) {
  Json json = {{"all", ToJson(totals.all)},
               {"by_column_family", Json::array()},
               {"by_level", Json::array()},
               {"by_kind", Json::array()}};
  for (const auto& [name, sum] : totals.by_family) {
    Json row = Json::object();
    PutName("database", name.first, &row);
    PutName("column_family", name.second, &row);
    row.update(ToJson(sum));
    json["by_column_family"].push_back(std::move(row));
  }
  for (const auto& [level, sum] : totals.by_level) {
    Json row = {{"level", level}};
    row.update(ToJson(sum));
    json["by_level"].push_back(std::move(row));
  }
  for (const auto& [kind, sum] : totals.by_kind) {
    Json row = {{"kind", kind}};
    row.update(ToJson(sum));
    json["by_kind"].push_back(std::move(row));
  }
  return json;
}

Json ToJson(const ConvertedShare& share) {
  Json json = {{"winnow_share_of_entries", OrNull(share.OfEntries())}};
  for (size_t i = 0; i < kNumFilterFamilies; ++i) {
    const FamilySum& sum = share.families[i];
    json[std::string(ToString(static_cast<FilterFamily>(i)))] = {
        {"files", sum.files},
        {"entries", sum.entries},
        {"keys", sum.keys},
        {"filter_bytes", sum.filter_bytes}};
  }
  return json;
}

Json ToJson(const LearnedBits& bits) {
  Json json = Json::object();
  PutName("database", bits.family.first, &json);
  PutName("column_family", bits.family.second, &json);
  json["levels"] = Json::array();
  for (const BitsOfLevel& level : bits.levels) {
    json["levels"].push_back({{"level", level.level},
                              {"files", level.files},
                              {"least_bits_per_key", level.least},
                              {"bits_per_key", level.mean},
                              {"most_bits_per_key", level.most}});
  }
  json["last_level_tenths"] = bits.tenths;
  return json;
}

}  // namespace

std::string InspectJson(const InspectReport& report) {
  Json content = {{"summary", ToJson(report.totals)}, {"advice", report.advice}};
  content["files"] = Json::array();
  for (size_t i = 0; i < report.listed; ++i) {
    content["files"].push_back(ToJson(report.files[i]));
  }
  content["files_left_out"] = report.left_out();
  content["warnings"] = report.remarks;
  const BloomFiles blooms = BloomsOf(report.files);
  content["bloom"] = {{"files", blooms.files}, {"partitions", blooms.partitions}};
  content["bloom"].update(ToJson(blooms.all));
  content["learned"] = Json::array();
  for (const LearnedBits& bits : report.learned) content["learned"].push_back(ToJson(bits));
  content["converted"] = ToJson(SumByFamily(report.files));
  content["converted"]["files_not_read"] = report.totals.all.not_read;
  content["converted"]["trees_read"] = report.trees_read;
  return Document("winnow.inspect/1", content);
}

}  // namespace winnow::inspect
