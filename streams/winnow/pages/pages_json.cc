#include "streams/winnow/pages/pages_json.h"

#include <absl/strings/escaping.h>

#include <nlohmann/json.hpp>

#include "tools/winnow/cli/json.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const PagesState& filter) {
  return {{"pages", filter.pages},
          {"page_bytes", filter.page_bytes},
          {"bytes", filter.bytes},
          {"bits_set_by_a_key", filter.probes},
          {"capacity", filter.capacity},
          {"planned_rate", filter.planned_rate},
          {"keys", filter.keys},
          {"fill_ratio", filter.fill},
          {"expected_fpr", filter.rate},
          {"worst_page", filter.worst_page},
          {"worst_fill_ratio", filter.worst_fill},
          {"worst_fpr", filter.worst_rate}};
}

}  // namespace

std::string PagesJson(const PagesReport& report) {
  Json document = {{"action", report.action},
                   {"place", report.place},
                   {"filter", report.filter ? ToJson(*report.filter) : Json(nullptr)},
                   {"keys_read", report.keys_read}};
  if (report.action == "ask") {
    document["keys"] = Json::array();
    for (const PagesAnswer& answer : report.answers) {
      document["keys"].push_back({{"key_hex", absl::BytesToHexString(answer.key)},
                                  {"may_contain", answer.may_contain},
                                  {"page", answer.page},
                                  {"page_read", answer.page_read}});
    }
  } else {
    document["keys_new"] = report.keys_new;
    document["pages_written"] = report.pages_written;
  }
  document["pages_read"] = report.pages_read;
  document["faults"] = report.faults;
  return Document("winnow.pages/1", document);
}

}  // namespace winnow::inspect
