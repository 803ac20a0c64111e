#include "streams/winnow/dedup/streams.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "src/text/text_table.h"
#include "tools/winnow/cli/json.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"

namespace winnow::tools {
namespace {

using dedup::StreamAction;
using dedup::StreamFound;
using dedup::StreamsFound;
using inspect::ByteSize;
using inspect::Number;
using inspect::Printable;
using Json = nlohmann::ordered_json;

constexpr char kVerb[] = "dedup";

const char* NameOf(StreamAction action) {
  return action == StreamAction::kList    ? "list"
         : action == StreamAction::kCheck ? "check"
                                          : "remove";
}

// ---- JSON

Json ToJson(const StreamFound& stream) {
  Json json;
  inspect::PutName("name", stream.name, &json);
  json["state"] = stream.state;
  json["plan"] = stream.plan;
  json["capacity"] = stream.capacity;
  json["planned_rate"] = stream.rate;
  json["bits_set_by_a_line"] = stream.probes;
  json["servers"] = stream.servers.empty()
                        ? Json(nullptr)
                        : Json(std::vector<std::string>(absl::StrSplit(stream.servers, ',')));
  json["keys"] = stream.keys;
  json["bytes"] = stream.bytes;
  json["keys_missing"] = stream.keys_missing;
  if (stream.bits) {
    json["bits_set"] = stream.bits->set;
    json["fill_ratio"] = stream.bits->fill;
    json["expected_fpr"] = stream.bits->rate;
    json["lines"] = stream.bits->lines;
  }
  json["faults"] = stream.faults;
  return json;
}

std::string StreamsJson(StreamAction action, const dedup::RedisPlan& plan,
                        const StreamsFound& found, const std::string& fault) {
  Json servers = Json::array();
  for (const auto& server : plan.servers) servers.push_back(server.address);
  Json document = {{"action", NameOf(action)}, {"servers", servers}};
  const bool was_asked = fault.empty() || !found.streams.empty();
  document["cluster"] = was_asked ? Json(found.is_cluster) : Json(nullptr);
  document["streams"] = Json::array();
  for (const StreamFound& stream : found.streams) document["streams"].push_back(ToJson(stream));
  if (action == StreamAction::kRemove) document["keys_removed"] = found.keys_removed;
  document["faults"] = fault.empty() ? Json::array() : Json::array({fault});
  return inspect::Document("winnow.dedup/1", document);
}

// ---- Text

std::string ListText(const StreamsFound& found) {
  if (found.streams.empty()) return "no streams\n";
  using inspect::Align;
  inspect::TextTable table({{"name", Align::kLeft},
                            {"capacity"},
                            {"rate"},
                            {"keys"},
                            {"bytes"},
                            {"state", Align::kLeft}});
  for (const StreamFound& stream : found.streams) {
    table.AddRow({Printable(stream.name), absl::StrCat(stream.capacity), absl::StrCat(stream.rate),
                  absl::StrCat(stream.keys), ByteSize(static_cast<double>(stream.bytes)),
                  stream.state});
  }
  return table.ToString();
}

std::string CheckText(const StreamFound& stream) {
  const std::string first = absl::StrFormat(
      "%s: %s\nplan  %s\nkeys  %s, %d missing, of %s in all%s\n", Printable(stream.name),
      stream.state, stream.plan, Number(stream.keys, "key"), stream.keys_missing,
      ByteSize(static_cast<double>(stream.bytes)), stream.servers.empty() ? ", in a cluster" : "");
  if (!stream.bits) return first;
  return absl::StrFormat(
      "%sbits  %d set, %s; %s by that, of %d planned\nrate  %.3g; planned %.3g\n", first,
      stream.bits->set, inspect::Percent(stream.bits->fill), Number(stream.bits->lines, "line"),
      stream.capacity, stream.bits->rate, stream.rate);
}

std::string StreamsText(StreamAction action, const StreamsFound& found) {
  if (action == StreamAction::kList) return ListText(found);
  if (found.streams.empty()) return "";
  const StreamFound& stream = found.streams.front();
  if (action == StreamAction::kCheck) return CheckText(stream);
  return absl::StrFormat(
      "%s: removed, %s of at most %d\n", Printable(stream.name), Number(found.keys_removed, "key"),
      stream.keys + 1 +
          static_cast<uint64_t>(std::count(stream.servers.begin(), stream.servers.end(), ',')));
}

}  // namespace

int RunStreams(StreamAction action, const dedup::RedisPlan& plan, bool as_json) {
  absl::StatusOr<StreamsFound> found = dedup::AskStreams(action, plan);
  const std::string fault(found.ok() ? found->fault : found.status().message());
  int code = fault.empty()                      ? kAllGood
             : absl::IsNotFound(found.status()) ? kFaultFound
                                                : kCouldNotRead;
  if (!found.ok()) found = StreamsFound();
  if (!fault.empty()) SayWarnings(kVerb, {fault});
  if (action == StreamAction::kCheck) {
    for (const StreamFound& stream : found->streams) {
      SayWarnings(kVerb, stream.faults);
      if (!stream.faults.empty()) code = kFaultFound;
    }
  }
  const std::string text =
      as_json ? StreamsJson(action, plan, *found, fault) : StreamsText(action, *found);
  return fault.empty() || as_json ? (Print(kVerb, text) ? code : kCouldNotRead) : code;
}

}  // namespace winnow::tools
