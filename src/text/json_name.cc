#include "src/text/json_name.h"

#include <absl/strings/escaping.h>

#include "src/text/printable.h"

namespace winnow::inspect {

void PutName(const std::string& key, const std::string& name, nlohmann::ordered_json* json) {
  (*json)[key] = name.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(name);
  if (!IsUtf8(name)) {
    (*json)[key + "_hex"] = absl::BytesToHexString(name);
  }
}

}  // namespace winnow::inspect
