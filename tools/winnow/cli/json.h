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

// Null where there is none.
nlohmann::ordered_json SentenceOrNull(const std::string& sentence);

// With the schema before the content, two blanks deep; bytes that are not UTF-8 are replaced.
std::string Document(const char* schema, const nlohmann::ordered_json& content);

// Sets the key; null for an empty name. Bytes that JSON has no text for are there once more as
// hexadecimal digits, under the key with _hex at its end.
void PutName(const std::string& key, const std::string& name, nlohmann::ordered_json* json);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_CLI_JSON_H_
