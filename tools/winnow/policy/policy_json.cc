#include "tools/winnow/policy/policy_json.h"

#include "tools/winnow/cli/json.h"
#include "tools/winnow/findings/file_columns.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const PolicyTrial& trial) {
  Json json = {{"situation", trial.situation}, {"level", trial.level}, {"added_keys", trial.keys}};
  json["filter"] = trial.filter ? ToJson(*trial.filter) : Json(nullptr);
  return json;
}

Json ListOf(const std::vector<PolicyTrial>& trials) {
  Json list = Json::array();
  for (const PolicyTrial& trial : trials) list.push_back(ToJson(trial));
  return list;
}

Json ToJson(const PolicyVerdict& verdict) {
  Json json = {{"policy", verdict.asked},
               {"ok", verdict.problem.empty()},
               {"outcome", ToString(verdict.outcome)},
               {"in_force", SentenceOrNull(verdict.in_force)},
               {"reads_winnow", verdict.reads_winnow},
               {"problem", SentenceOrNull(verdict.problem)},
               {"suggestion", SentenceOrNull(verdict.suggestion)}};
  json["file"] = verdict.file ? ToJson(*verdict.file) : Json(nullptr);
  json["tree"] = Json(nullptr);
  if (verdict.tree) {
    json["tree"] = {{"levels", kLastTrialLevel},
                    {"size_ratio", verdict.tree->size_ratio},
                    {"bits_per_key", verdict.tree->bits_per_key},
                    {"false_reads_per_absent_key", verdict.tree->false_reads}};
  }
  if (const double bits = RangeBitsOf(verdict.in_force); bits > 0) {
    json["range"] = {{"range_bits", bits}, {"bits_per_key", RangeBitsPerKey(bits)}};
  }
  json["by_keys"] = ListOf(verdict.by_keys);
  json["by_level"] = ListOf(verdict.by_level);
  return json;
}

}  // namespace

std::string PolicyJson(const PolicyVerdict& verdict) {
  Json content = {{"taken_for", "policy"}};
  content.update(ToJson(verdict));
  return Document("winnow.policy/2", content);
}

std::string OptionsFileJson(const OptionsFileReport& report) {
  Json content = {{"taken_for", "path"},
                  {"path", report.path},
                  {"error", SentenceOrNull(report.error)},
                  {"column_families", Json::array()}};
  for (const FamilyPolicy& family : report.families) {
    Json json = {{"name", family.name}, {"no_filter_asked_for", family.no_filter_asked_for}};
    json.update(ToJson(family.verdict));
    if (family.ranges.range_bits > 0 || family.ranges.has_extractor ||
        !family.ranges.problems.empty()) {
      json["range"]["range_bits"] = family.ranges.range_bits;
      json["range"]["works"] = family.ranges.work();
      json["range"]["problems"] = family.ranges.problems;
      json["range"]["notes"] = family.ranges.notes;
    }
    content["column_families"].push_back(json);
  }
  return Document("winnow.policy/2", content);
}

}  // namespace winnow::inspect
