// Names in JSON, which has text: paths and column families are any bytes.

#ifndef WINNOW_SRC_TEXT_JSON_NAME_H_
#define WINNOW_SRC_TEXT_JSON_NAME_H_

#include <nlohmann/json.hpp>
#include <string>

namespace winnow::inspect {

// Sets the key; null for an empty name. Bytes that JSON has no text for are there once more as
// hexadecimal digits, under the key with _hex at its end.
void PutName(const std::string& key, const std::string& name, nlohmann::ordered_json* json);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_JSON_NAME_H_
