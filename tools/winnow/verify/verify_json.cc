#include "tools/winnow/verify/verify_json.h"

#include <absl/strings/escaping.h>

#include <algorithm>

#include "tools/winnow/cli/json.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const DeniedKey& key) {
  return {{"key_hex", absl::BytesToHexString(key.bytes)},
          {"is_prefix", key.is_prefix},
          {"partition", OrNull(key.partition)}};
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
  if (file.range) {
    json["range"] = {{"keys", file.range->keys},
                     {"false_negatives", file.range->false_negatives},
                     {"denied_keys", Json::array()}};
    for (const DeniedKey& key : file.range->denied) {
      json["range"]["denied_keys"].push_back(ToJson(key));
    }
  }
  return json;
}

}  // namespace

std::string VerifyJson(const std::vector<FileVerdict>& files,
                       const std::vector<std::string>& warnings, bool trees_read) {
  const auto unread = std::count_if(files.begin(), files.end(),
                                    [](const FileVerdict& file) { return file.error.has_value(); });
  Json document = {{"files_not_verified", unread},
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
  return Document("winnow.verify/1", document);
}

}  // namespace winnow::inspect
