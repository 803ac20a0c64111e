#include "tools/winnow/probe/probe_json.h"

#include <absl/strings/escaping.h>

#include <algorithm>

#include "src/sst/internal_keys.h"
#include "tools/winnow/cli/json.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const FileProbe& file) {
  uint64_t present = 0;
  uint64_t by_filter_and_absent = 0;
  for (const ProbeHit& hit : file.hits) {
    present += hit.entry ? 1 : 0;
    by_filter_and_absent += hit.by_filter && hit.looked_for && !hit.entry ? 1 : 0;
  }
  if (file.range_hit) {
    const RangeHit& hit = *file.range_hit;
    present += hit.entry ? 1 : 0;
    by_filter_and_absent += hit.by_filter && hit.looked_for && !hit.entry ? 1 : 0;
  }
  Json json = Json::object();
  PutName("path", file.path, &json);
  PutName("column_family", file.column_family, &json);
  json.update({{"level", OrNull(file.level)},
               {"kind", file.kind},
               {"asked", file.asked},
               {"hits", file.hits.size() + (file.range_hit ? 1 : 0)},
               {"present", file.exact ? Json(present) : Json(nullptr)},
               {"false_positives", file.exact ? Json(by_filter_and_absent) : Json(nullptr)},
               {"remark", SentenceOrNull(file.remark)},
               {"fault", OrNull(file.fault)},
               {"error", OrNull(file.error)}});
  return json;
}

Json ToJson(const std::string& path, const FoundEntry& entry) {
  return {{"path", path},
          {"type", NameOfType(entry.type)},
          {"sequence", entry.sequence},
          {"value_bytes", entry.value_bytes}};
}

}  // namespace

size_t ProbeReport::not_asked() const {
  return static_cast<size_t>(
      std::count_if(files.begin(), files.end(), [](const FileProbe& file) { return !file.asked; }));
}

std::string ProbeJson(const ProbeReport& report) {
  Json document = {{"exact", report.exact},           {"files_not_read", report.not_asked()},
                   {"trees_read", report.trees_read}, {"keys", Json::array()},
                   {"files", Json::array()},          {"warnings", report.warnings}};
  const bool exact = report.exact;
  for (const ProbedKey& key : report.keys) {
    document["keys"].push_back({{"key_hex", absl::BytesToHexString(key.bytes)},
                                {"answer", report.has_all() ? "in none" : "not known"},
                                {"may_contain", Json::array()},
                                {"contains", exact ? Json::array() : Json(nullptr)},
                                {"entries", Json::array()},
                                {"range_deletions", exact ? Json::array() : Json(nullptr)}});
  }
  if (report.range) {
    document["range"] = {{"from_hex", absl::BytesToHexString(report.range->begin)},
                         {"to_hex", absl::BytesToHexString(report.range->end)},
                         {"answer", report.has_all() ? "in none" : "not known"},
                         {"may_contain", Json::array()},
                         {"by_filter", Json::array()},
                         {"contains", exact ? Json::array() : Json(nullptr)},
                         {"entries", Json::array()}};
  }
  for (const FileProbe& file : report.files) {
    document["files"].push_back(ToJson(file));
    for (const CoveredKey& covered : file.covered) {
      document["keys"][covered.key]["range_deletions"].push_back(
          {{"path", file.path}, {"sequence", covered.sequence}});
    }
    if (file.range_hit) {
      Json& range = document["range"];
      range["answer"] = "may be in some";
      range["may_contain"].push_back(file.path);
      if (file.range_hit->by_filter) range["by_filter"].push_back(file.path);
      if (file.range_hit->entry) {
        range["contains"].push_back(file.path);
        range["entries"].push_back(ToJson(file.path, *file.range_hit->entry));
        range["entries"].back()["key_hex"] = absl::BytesToHexString(file.range_hit->key);
      }
    }
    for (const ProbeHit& hit : file.hits) {
      Json& key = document["keys"][hit.key];
      key["answer"] = "may be in some";
      key["may_contain"].push_back(file.path);
      if (hit.entry) {
        key["contains"].push_back(file.path);
        key["entries"].push_back(ToJson(file.path, *hit.entry));
      }
    }
  }
  return Document("winnow.probe/1", document);
}

}  // namespace winnow::inspect
