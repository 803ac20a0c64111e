#include "tools/winnow/cli/json.h"

#include <absl/strings/escaping.h>

#include "src/text/printable.h"

namespace winnow::inspect {

nlohmann::ordered_json SentenceOrNull(const std::string& sentence) {
  return sentence.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(sentence);
}

std::string Document(const char* schema, const nlohmann::ordered_json& content) {
  nlohmann::ordered_json document = {{"schema", schema}};
  document.update(content);
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void PutName(const std::string& key, const std::string& name, nlohmann::ordered_json* json) {
  (*json)[key] = name.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(name);
  if (!IsUtf8(name)) {
    (*json)[key + "_hex"] = absl::BytesToHexString(name);
  }
}

}  // namespace winnow::inspect
