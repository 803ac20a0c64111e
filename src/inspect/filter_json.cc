#include "src/inspect/filter_json.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "src/inspect/converted_share.h"
#include "src/inspect/describe_policy.h"
#include "src/inspect/filter_totals.h"
#include "src/inspect/json_name.h"
#include "src/inspect/printable.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json SentenceOrNull(const std::string& sentence) {
  return sentence.empty() ? Json(nullptr) : Json(sentence);
}

Json ToJson(const BloomBlocks& bloom) {
  return {{"blocks", bloom.blocks},
          {"keys", bloom.keys},
          {"bytes", bloom.bytes},
          {"bytes_as_ribbons", bloom.bytes_as_ribbons}};
}

Json ToJson(const BuiltFor& built_for) {
  return {
      {"level", built_for.level},
      {"target_fpr", built_for.target_fpr},
      {"level_plan", built_for.level_plan},
      {"levels_below", built_for.levels_below < 0 ? Json(nullptr) : Json(built_for.levels_below)}};
}

Json ToJson(const FilterParameters& parameters) {
  Json json = {{"format", parameters.format},
               {"version", OrNull(parameters.version)},
               {"hash", SentenceOrNull(parameters.hash)}};
  const auto put = [&json](const char* key, const auto& value) {
    if (value) {
      json[key] = *value;
    }
  };
  put("probes", parameters.probes);
  put("blocks", parameters.blocks);
  put("block_bits", parameters.block_bits);
  put("slots", parameters.slots);
  put("columns", parameters.columns);
  if (!parameters.layers.empty()) {
    json["layers"] = parameters.layers;
  }
  put("bumped_share", parameters.bumped_share);
  put("fill_ratio", parameters.fill_ratio);
  return json;
}

Json ToJson(const FilterSummary& filter) {
  Json json = {{"kind", filter.kind},
               {"keys", filter.keys},
               {"bytes", filter.bytes},
               {"bits_per_key", filter.bits_per_key},
               {"expected_fpr", OrNull(filter.expected_fpr)}};
  if (filter.partitions > 0) {
    json["partitions"] = filter.partitions;
    for (const auto& [kind, count] : filter.kinds) {
      json["partition_kinds"][kind] = count;
    }
  }
  if (filter.bloom.blocks > 0) {
    json["bloom"] = ToJson(filter.bloom);
  }
  if (filter.built_for) {
    json["built_for"] = ToJson(*filter.built_for);
  }
  json["parameters"] = filter.parameters && !filter.parameters->format.empty()
                           ? ToJson(*filter.parameters)
                           : Json(nullptr);
  json["detail"] = filter.detail;
  json["policy_name"] = filter.policy_name;
  json["fault"] = OrNull(filter.fault);
  return json;
}

Json ToJson(const SstReport& file) {
  Json json = Json::object();
  PutName("path", file.path, &json);
  PutName("database", file.database, &json);
  json["level"] = OrNull(file.level);
  PutName("column_family", file.column_family, &json);
  json["entries"] = file.entries;
  json["file_bytes"] = file.file_bytes;
  json["filter"] = file.filter ? ToJson(*file.filter) : Json(nullptr);
  if (file.filter) {
    json["filter"]["stored_bytes"] = file.filter->stored_bytes;
  }
  json["error"] = OrNull(file.error);
  return json;
}

Json ToJson(const FilterTotals& totals) {
  return {{"files", totals.files},
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

Json ToJson(const PolicyTrial& trial) {
  Json json = {{"situation", trial.situation}, {"level", trial.level}, {"added_keys", trial.keys}};
  json["filter"] = trial.filter ? ToJson(*trial.filter) : Json(nullptr);
  return json;
}

Json ToJson(const PolicyOpening& opening) {
  return {{"place", ToString(opening.place)},
          {"outcome", ToString(opening.outcome)},
          {"in_force",
           opening.policy == nullptr ? Json(nullptr) : Json(DescribePolicy(*opening.policy))},
          {"refusal", SentenceOrNull(opening.refusal)}};
}

Json ToJson(const PolicyVerdict& verdict) {
  Json json = {{"policy", verdict.asked},
               {"ok", verdict.problem.empty()},
               {"outcome", ToString(verdict.outcome)},
               {"in_force", SentenceOrNull(verdict.in_force)},
               {"reads_winnow", verdict.reads_winnow},
               {"problem", SentenceOrNull(verdict.problem)},
               {"suggestion", SentenceOrNull(verdict.suggestion)}};
  json["by_place"] = Json::array();
  for (const PolicyOpening& opening : verdict.by_place) {
    json["by_place"].push_back(ToJson(opening));
  }
  json["file"] = verdict.file ? ToJson(*verdict.file) : Json(nullptr);
  json["tree"] = Json(nullptr);
  if (verdict.tree) {
    json["tree"] = {{"levels", kLastTrialLevel},
                    {"size_ratio", verdict.tree->size_ratio},
                    {"bits_per_key", verdict.tree->bits_per_key},
                    {"false_reads_per_absent_key", verdict.tree->false_reads}};
  }
  json["by_keys"] = Json::array();
  for (const PolicyTrial& trial : verdict.by_keys) {
    json["by_keys"].push_back(ToJson(trial));
  }
  json["by_level"] = Json::array();
  for (const PolicyTrial& trial : verdict.by_level) {
    json["by_level"].push_back(ToJson(trial));
  }
  return json;
}

std::string Document(const char* schema, const Json& content) {
  Json document = {{"schema", schema}};
  document.update(content);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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
  content["converted"] = ToJson(SumByFamily(report.files));
  content["converted"]["files_not_read"] = report.totals.all.not_read;
  content["converted"]["trees_read"] = report.trees_read;
  return Document("winnow.inspect/1", content);
}

std::string PolicyJson(const PolicyVerdict& verdict) {
  Json content = {{"taken_for", "policy"}};
  content.update(ToJson(verdict));
  return Document("winnow.policy/1", content);
}

std::string OptionsFileJson(const OptionsFileReport& report) {
  Json content = {{"taken_for", "path"},
                  {"path", report.path},
                  {"error", SentenceOrNull(report.error)},
                  {"column_families", Json::array()}};
  for (const FamilyPolicy& family : report.families) {
    Json json = {{"name", family.name}, {"no_filter_asked_for", family.no_filter_asked_for}};
    json.update(ToJson(family.verdict));
    content["column_families"].push_back(json);
  }
  return Document("winnow.policy/1", content);
}

}  // namespace winnow::inspect
