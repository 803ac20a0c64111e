// Helpers that several of the tool's JSON documents share.

#ifndef WINNOW_TOOLS_WINNOW_CLI_JSON_H_
#define WINNOW_TOOLS_WINNOW_CLI_JSON_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace winnow::inspect {

template <typename T>
nlohmann::ordered_json OrNull(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// Returns the sentence, or null if it is empty.
nlohmann::ordered_json SentenceOrNull(const std::string& sentence);

// Returns the schema followed by the content, indented by two spaces; bytes that are not UTF-8 are
// replaced.
std::string Document(const char* schema, const nlohmann::ordered_json& content);

// Sets the key to the name, or to null if the name is empty. If the name is not UTF-8, sets KEY_hex
// to its bytes in hexadecimal digits, too.
void PutName(const std::string& key, const std::string& name, nlohmann::ordered_json* json);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_CLI_JSON_H_
