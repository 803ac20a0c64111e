#include "tools/winnow/probe/probe_json.h"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/sst/internal_keys.h"
#include "src/text/json_name.h"
#include "tools/winnow/findings/filter_json.h"

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
  Json json = Json::object();
  PutName("path", file.path, &json);
  PutName("column_family", file.column_family, &json);
  json.update({{"level", OrNull(file.level)},
               {"kind", file.kind},
               {"asked", file.asked},
               {"hits", file.hits.size()},
               {"present", file.exact ? Json(present) : Json(nullptr)},
               {"false_positives", file.exact ? Json(by_filter_and_absent) : Json(nullptr)},
               {"remark", file.remark.empty() ? Json(nullptr) : Json(file.remark)},
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
  Json document = {{"schema", "winnow.probe/1"},
                   {"exact", report.exact},
                   {"files_not_read", report.not_asked()},
                   {"trees_read", report.trees_read},
                   {"keys", Json::array()},
                   {"files", Json::array()},
                   {"warnings", report.warnings}};
  const bool exact = report.exact;
  for (const ProbedKey& key : report.keys) {
    document["keys"].push_back({{"key_hex", absl::BytesToHexString(key.bytes)},
                                {"answer", report.has_all() ? "in none" : "not known"},
                                {"may_contain", Json::array()},
                                {"contains", exact ? Json::array() : Json(nullptr)},
                                {"entries", Json::array()},
                                {"range_deletions", exact ? Json::array() : Json(nullptr)}});
  }
  for (const FileProbe& file : report.files) {
    document["files"].push_back(ToJson(file));
    for (const CoveredKey& covered : file.covered) {
      document["keys"][covered.key]["range_deletions"].push_back(
          {{"path", file.path}, {"sequence", covered.sequence}});
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
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string PackProbe(const FileProbe& probe) {
  Json json = {probe.kind,    probe.exact,   probe.remark,        OrNull(probe.error),
               Json::array(), Json::array(), OrNull(probe.fault), probe.asked};
  for (const CoveredKey& covered : probe.covered) {
    json[5].push_back(Json::array({covered.key, covered.sequence}));
  }
  for (const ProbeHit& hit : probe.hits) {
    Json packed = {hit.key, hit.by_filter, hit.looked_for};
    if (hit.entry) {
      packed.push_back(hit.entry->type);
      packed.push_back(hit.entry->sequence);
      packed.push_back(hit.entry->value_bytes);
    }
    json[4].push_back(packed);
  }
  const std::vector<uint8_t> bytes = Json::to_msgpack(json);
  return std::string(bytes.begin(), bytes.end());
}

std::optional<FileProbe> UnpackProbe(std::string_view bytes) {
  try {
    const Json json = Json::from_msgpack(bytes.begin(), bytes.end());
    FileProbe probe;
    probe.kind = json.at(0).get<std::string>();
    probe.exact = json.at(1).get<bool>();
    probe.remark = json.at(2).get<std::string>();
    if (!json.at(3).is_null()) {
      probe.error = json.at(3).get<std::string>();
    }
    for (const Json& packed : json.at(4)) {
      ProbeHit hit = {packed.at(0).get<size_t>(), packed.at(1).get<bool>(),
                      packed.at(2).get<bool>(), std::nullopt};
      if (packed.size() > 3) {
        hit.entry = FoundEntry{packed.at(3).get<int>(), packed.at(4).get<uint64_t>(),
                               packed.at(5).get<uint64_t>()};
      }
      probe.hits.push_back(hit);
    }
    for (const Json& packed : json.at(5)) {
      probe.covered.push_back({packed.at(0).get<size_t>(), packed.at(1).get<uint64_t>()});
    }
    if (!json.at(6).is_null()) {
      probe.fault = json.at(6).get<std::string>();
    }
    probe.asked = json.at(7).get<bool>();
    return probe;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace winnow::inspect
