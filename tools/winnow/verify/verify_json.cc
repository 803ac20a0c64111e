#include "tools/winnow/verify/verify_json.h"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/text/json_name.h"
#include "src/text/key_list.h"
#include "tools/winnow/findings/filter_json.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
std::optional<T> FromNull(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<T>(json.get<T>());
}

Json ToJson(const DeniedKey& key) {
  return {{"key_hex", absl::BytesToHexString(key.bytes)},
          {"is_prefix", key.is_prefix},
          {"partition", OrNull(key.partition)}};
}

DeniedKey DeniedFrom(const Json& json) {
  return {ParseHexKey(json.at("key_hex").get<std::string>()).value_or(""),
          json.at("is_prefix").get<bool>(), FromNull<int>(json.at("partition"))};
}

Json WithoutPath(const FileVerdict& file) {
  Json json = {{"kind", file.kind},
               {"partitions", file.partitions},
               {"entries", file.entries},
               {"keys", file.keys},
               {"false_negatives", file.false_negatives},
               {"denied_keys", Json::array()},
               {"samples", file.samples},
               {"false_positives", file.false_positives},
               {"measured_fpr", OrNull(file.measured_fpr)},
               {"measured_fpr_interval",
                file.measured_fpr ? Json({file.interval.low, file.interval.high}) : Json(nullptr)},
               {"expected_fpr", OrNull(file.expected_fpr)},
               {"ok", file.ok()},
               {"faults", file.faults},
               {"remarks", file.remarks},
               {"error", OrNull(file.error)}};
  for (const DeniedKey& key : file.denied) {
    json["denied_keys"].push_back(ToJson(key));
  }
  return json;
}

FileVerdict VerdictFrom(const Json& json) {
  FileVerdict file;
  file.kind = json.at("kind").get<std::string>();
  file.partitions = json.at("partitions").get<int>();
  file.entries = json.at("entries").get<uint64_t>();
  file.keys = json.at("keys").get<uint64_t>();
  file.false_negatives = json.at("false_negatives").get<uint64_t>();
  for (const Json& key : json.at("denied_keys")) {
    file.denied.push_back(DeniedFrom(key));
  }
  file.samples = json.at("samples").get<uint64_t>();
  file.false_positives = json.at("false_positives").get<uint64_t>();
  file.measured_fpr = FromNull<double>(json.at("measured_fpr"));
  if (const Json& interval = json.at("measured_fpr_interval"); !interval.is_null()) {
    file.interval = {interval.at(0).get<double>(), interval.at(1).get<double>()};
  }
  file.expected_fpr = FromNull<double>(json.at("expected_fpr"));
  file.faults = json.at("faults").get<std::vector<std::string>>();
  file.remarks = json.at("remarks").get<std::vector<std::string>>();
  file.error = FromNull<std::string>(json.at("error"));
  return file;
}

}  // namespace

std::string VerifyJson(const std::vector<FileVerdict>& files,
                       const std::vector<std::string>& warnings, bool trees_read) {
  const auto unread = std::count_if(files.begin(), files.end(),
                                    [](const FileVerdict& file) { return file.error.has_value(); });
  Json document = {{"schema", "winnow.verify/1"},
                   {"files_not_verified", unread},
                   {"trees_read", trees_read},
                   {"files", Json::array()},
                   {"warnings", warnings}};
  for (const FileVerdict& file : files) {
    Json json = Json::object();
    PutName("path", file.path, &json);
    PutName("column_family", file.column_family, &json);
    json.update(WithoutPath(file));
    document["files"].push_back(json);
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string PackVerdict(const FileVerdict& verdict) {
  const std::vector<uint8_t> bytes = Json::to_msgpack(WithoutPath(verdict));
  return std::string(bytes.begin(), bytes.end());
}

std::optional<FileVerdict> UnpackVerdict(std::string_view bytes) {
  try {
    return VerdictFrom(Json::from_msgpack(bytes.begin(), bytes.end()));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace winnow::inspect
