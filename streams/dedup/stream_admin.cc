#include "streams/dedup/stream_admin.h"

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "streams/dedup/line_command.h"
#include "streams/dedup/stream_places.h"
#include "streams/dedup/stream_plan.h"
#include "streams/dedup/stream_watch.h"
#include "streams/redis/cluster_map.h"
#include "streams/redis/redis_client.h"

namespace winnow::dedup {
namespace {

using redis::Reply;

constexpr char kPlanEnd[] = ":plan";
constexpr char kKeysAtATime[] = "1000";  // COUNT of a SCAN: keys examined per call
constexpr int kMaxPasses = 5;            // passes over keys that clients recreate in part

// ---- Plans

struct PlanFound {
  StreamPlan plan;
  bool is_whole = false;
};

// Returns nullopt if the text is not a plan that this version writes.
std::optional<PlanFound> ParsePlan(const std::string& name, absl::string_view text) {
  PlanFound found;
  found.plan.name = name;
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  for (absl::string_view word : words) {
    if (absl::ConsumePrefix(&word, "capacity=")) {
      if (!absl::SimpleAtoi(word, &found.plan.capacity)) return std::nullopt;
    } else if (absl::ConsumePrefix(&word, "rate=")) {
      if (!absl::SimpleAtod(word, &found.plan.rate)) return std::nullopt;
    } else if (absl::ConsumePrefix(&word, "k=")) {
      if (!absl::SimpleAtoi(word, &found.plan.shape.probes)) return std::nullopt;
    } else if (absl::ConsumePrefix(&word, "keys=")) {
      if (!absl::SimpleAtoi(word, &found.plan.shape.num_keys)) return std::nullopt;
    } else if (absl::ConsumePrefix(&word, "bits=")) {
      if (!absl::SimpleAtoi(word, &found.plan.shape.bits_per_key)) return std::nullopt;
    } else if (absl::ConsumePrefix(&word, "servers=")) {
      found.plan.servers = std::string(word);
    }
  }
  constexpr uint64_t kMaxKeysOfStream = uint64_t{1} << 32;
  const bool is_sane = found.plan.shape.num_keys > 0 &&
                       found.plan.shape.num_keys <= kMaxKeysOfStream &&
                       found.plan.shape.bits_per_key > 0 && found.plan.shape.probes > 0;
  found.is_whole = text == found.plan.Text("whole");
  if (!is_sane || (!found.is_whole && text != found.plan.Text("begun"))) return std::nullopt;
  return found;
}

// ---- Names

// Collects the names of streams from the keys of one server that are named like plans.
absl::Status Scan(Place* place, const std::string& key_of_server, std::set<std::string>* names) {
  std::string cursor = "0";
  do {
    Reply reply;
    const std::string pattern = absl::StrCat("*", kPlanEnd);
    absl::Status status = place->Ask(
        key_of_server, {"SCAN", cursor, "MATCH", pattern, "COUNT", kKeysAtATime}, &reply);
    if (!status.ok()) return status;
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 ||
        reply->element[0]->str == nullptr || reply->element[1]->type != REDIS_REPLY_ARRAY) {
      return redis::AboutServer(
          place->address(), absl::FailedPreconditionError("it answered SCAN with something else"));
    }
    cursor.assign(reply->element[0]->str, reply->element[0]->len);
    for (size_t i = 0; i < reply->element[1]->elements; ++i) {
      const redisReply& key = *reply->element[1]->element[i];
      absl::string_view name(key.str == nullptr ? "" : key.str, key.len);
      if (absl::ConsumeSuffix(&name, kPlanEnd)) names->emplace(name);
    }
  } while (cursor != "0");
  return absl::OkStatus();
}

// Returns whether the key belongs to something else: it is not a plan, is gone, or may not be read
// by this user.
bool IsOfOthers(const absl::Status& status) {
  return absl::IsNotFound(status) || absl::IsDataLoss(status) ||
         absl::StrContains(status.message(), "WRONGTYPE") ||
         absl::StrContains(status.message(), "NOPERM");
}

// Returns the text in the plan's key, or nullopt if there is no such key.
absl::StatusOr<std::optional<std::string>> PlanText(Place* place, const std::string& name) {
  Reply reply;
  const std::string key = name + kPlanEnd;
  absl::Status status = place->Ask(key, {"GET", key}, &reply);
  if (!status.ok()) return status;
  if (reply->type != REDIS_REPLY_STRING) return std::optional<std::string>();
  return std::optional<std::string>(std::string(reply->str, reply->len));
}

// ---- One stream

// Plans of a stream on several servers.
struct StreamParts {
  std::string name;
  // Indexed like the places; nullopt if the place has no plan.
  std::vector<std::optional<PlanFound>> plans;
  const PlanFound* any() const {
    for (const auto& plan : plans) {
      if (plan) return &*plan;
    }
    return nullptr;
  }
};

// Error for a stream without a plan. Keys of a stream whose plan was deleted are looked up only on
// servers outside cluster mode: in a cluster, their names depend on the plan.
absl::Status NotFound(const Places& places, const std::string& name) {
  const std::string key = name + ":0";
  for (const auto& place : places) {
    Reply reply;
    if (absl::Status status = place->Ask(key, {"EXISTS", key}, &reply); !status.ok()) return status;
    if (reply->integer == 0) continue;
    return absl::NotFoundError(absl::StrCat(
        "the server ", place->address(), " has the key ", key,
        ", and no server a plan of the stream ", name, ": set ", name, kPlanEnd,
        " again to go on with it, to what clients that still run say, or delete its keys (", key,
        ", ", name, ":1 and so on) to be rid of it; or they are something else's"));
  }
  return absl::NotFoundError(absl::StrCat("there is no stream ", name, ": no server has the key ",
                                          name, kPlanEnd, "; --list names those that there are"));
}

// Returns kNotFound if no server has a plan of this name, or an error if a server has another value
// there.
absl::StatusOr<StreamParts> FindStream(const Places& places, const std::string& name) {
  StreamParts parts;
  parts.name = name;
  for (const auto& place : places) {
    const auto text = PlanText(place.get(), name);
    if (!text.ok()) return text.status();
    parts.plans.emplace_back();
    if (!*text) continue;
    parts.plans.back() = ParsePlan(name, **text);
    if (!parts.plans.back()) {
      return absl::DataLossError(absl::StrCat(
          "the server ", place->address(), ": its key ", name, kPlanEnd,
          " is no plan of a stream that this version knows: nothing was done with it"));
    }
  }
  return parts.any() != nullptr ? absl::StatusOr<StreamParts>(std::move(parts))
                                : NotFound(places, name);
}

// Returns the addresses of the plan's servers; databases of one server have equal addresses.
std::multiset<std::string> ServersOf(const StreamPlan& plan) {
  return absl::StrSplit(plan.servers, ',');
}
std::multiset<std::string> ServersOf(const Places& places) {
  std::multiset<std::string> servers;
  for (const auto& place : places) servers.insert(place->address());
  return servers;
}

// Returns whether all servers that the plan names were asked; always true for a cluster.
bool HasAll(const Places& places, const StreamPlan& plan) {
  if (plan.is_of_cluster()) return true;
  const std::multiset<std::string> asked = ServersOf(places), named = ServersOf(plan);
  return std::includes(asked.begin(), asked.end(), named.begin(), named.end());
}

// Describes the stream by its plans, with the plans' faults.
StreamFound Describe(const Places& places, const StreamParts& parts) {
  const StreamPlan& plan = parts.any()->plan;
  StreamFound found;
  found.name = parts.name;
  found.plan = plan.Text("");
  found.plan.pop_back();
  found.capacity = plan.capacity;
  found.rate = plan.rate;
  found.probes = plan.shape.probes;
  found.servers = plan.servers;
  const std::vector<std::string> named = absl::StrSplit(plan.servers, ',');
  found.keys = plan.shape.num_keys * (plan.is_of_cluster() ? 1 : named.size());
  found.bytes = found.keys * (plan.shape.bits_per_key / 8);
  found.state = "whole";
  const auto add = [&found](absl::string_view state, std::string fault) {
    if (found.faults.empty()) found.state = std::string(state);
    found.faults.push_back(std::move(fault));
  };
  for (size_t i = 0; i < places.size(); ++i) {
    const std::string& address = places[i]->address();
    const std::string who = absl::StrCat("the server ", address, ": ");
    if (!parts.plans[i]) {
      if (!plan.is_of_cluster() && std::count(named.begin(), named.end(), address) == 0) continue;
      add("no plan", absl::StrCat(who, "it has no plan of the stream ", found.name));
    } else if (parts.plans[i]->plan.Text("") != plan.Text("")) {
      add("plans differ", absl::StrCat(who, "its plan of the stream ", found.name, " is '",
                                       parts.plans[i]->plan.Text(""), "', and another server has '",
                                       found.plan, "'"));
    } else if (!parts.plans[i]->is_whole) {
      add("begun", absl::StrCat(who, "the stream ", found.name,
                                " is begun, and not all of its keys were made: the next client "
                                "makes them"));
    }
  }
  if (!HasAll(places, plan)) {
    add("other servers", absl::StrCat("the stream ", found.name, " lies on ", found.servers,
                                      ": give these servers"));
  }
  return found;
}

// Counts the keys that are missing or incomplete.
absl::Status CountMissing(const Places& places, const StreamParts& parts, StreamFound* found) {
  for (size_t i = 0; i < places.size(); ++i) {
    if (!parts.plans[i]) continue;
    const StreamPlan& plan = parts.plans[i]->plan;
    const std::string sentinel = Sentinel(plan.shape);
    uint64_t missing = 0;
    const auto take = [&missing](uint64_t, const redisReply& reply) {
      missing += reply.integer != 1;
      return absl::OkStatus();
    };
    absl::Status status = places[i]->AskKeys(plan, {"GETBIT", {sentinel}}, take);
    if (!status.ok()) return status;
    if (missing == 0) continue;
    if (found->faults.empty()) found->state = "keys missing";
    found->faults.push_back(absl::StrCat("the server ", places[i]->address(), ": ", missing,
                                         " of the ", plan.shape.num_keys, " keys of the stream ",
                                         found->name, " are not there, or not whole"));
    found->keys_missing += missing;
  }
  return absl::OkStatus();
}

double LinesOfFill(const RedisShape& shape, double fill) {
  return -std::log1p(-std::min(fill, 0.999)) / shape.probes *
         static_cast<double>(shape.bits_per_key);
}

absl::Status CountBits(const Places& places, const StreamParts& parts, StreamFound* found) {
  StreamFound::Bits bits;
  double fills = 0, rates = 0, lines = 0;
  uint64_t keys = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!parts.plans[i]) continue;
    const StreamPlan& plan = parts.plans[i]->plan;
    const auto take = [&](uint64_t, const redisReply& reply) {
      const double fill =
          static_cast<double>(reply.integer) / static_cast<double>(plan.shape.bits_per_key);
      bits.set += static_cast<uint64_t>(reply.integer);
      fills += fill;
      rates += std::pow(fill, plan.shape.probes);
      lines += LinesOfFill(plan.shape, fill);
      ++keys;
      return absl::OkStatus();
    };
    const std::string last = std::to_string(plan.shape.bits_per_key / 8 - 1);
    absl::Status status = places[i]->AskKeys(plan, {"BITCOUNT", {"0", last}}, take);
    if (!status.ok()) return status;
  }
  bits.fill = fills / static_cast<double>(keys);
  bits.rate = rates / static_cast<double>(keys);
  bits.lines = static_cast<uint64_t>(lines);
  found->bits = bits;
  if (bits.rate <= found->rate) return absl::OkStatus();
  if (found->faults.empty()) found->state = "past its rate";
  found->faults.push_back(absl::StrCat(
      "the chance that a new line of the stream ", found->name, " is dropped is ", bits.rate,
      ", past the planned ", found->rate, ": begin another --name with a higher --capacity"));
  return absl::OkStatus();
}

// Returns the servers that have the stream's plan or that the plan names, unless several databases
// of one server were asked.
std::vector<Place*> PlacesOf(const Places& places, const StreamParts& parts) {
  const auto asked = ServersOf(places), named = ServersOf(parts.any()->plan);
  std::vector<Place*> found;
  for (size_t i = 0; i < places.size(); ++i) {
    const std::string& server = places[i]->address();
    const bool is_named = named.count(server) > 0 && named.count(server) == asked.count(server);
    if (parts.plans[i] || is_named) found.push_back(places[i].get());
  }
  return found;
}

absl::Status RemoveKeys(const std::vector<Place*>& places, const StreamPlan& plan,
                        uint64_t* removed) {
  const auto take = [removed](uint64_t, const redisReply& reply) {
    *removed += static_cast<uint64_t>(std::max<long long>(reply.integer, 0));
    return absl::OkStatus();
  };
  absl::Status status;
  for (size_t i = 0; i < places.size() && status.ok(); ++i) {
    status = places[i]->AskKeys(plan, {"DEL", {}}, take);
  }
  return status;
}

// A line that a client sent before it noticed the removal creates a part of a key without the
// sentinel. A client that begins the stream anew sets the sentinel first.
absl::Status RemovePartsOfKeys(Place* place, const StreamPlan& plan) {
  const std::string sentinel = Sentinel(plan.shape);
  absl::Status status;
  for (uint64_t i = 0; i < plan.shape.num_keys && status.ok(); ++i) {
    const std::string key = plan.Key(i);
    Reply reply;
    status = place->Ask(key, {"GETBIT", key, sentinel}, &reply);
    if (status.ok() && reply->integer == 0) status = place->Ask(key, {"DEL", key}, &reply);
  }
  return status;
}

// Removes the keys until clients no longer recreate parts of them, and the plan last, so that
// nobody begins the stream anew meanwhile. If clients continue, the plan is left, so that a later
// call can remove the rest.
absl::Status Remove(const Places& all, const StreamParts& parts, StreamsFound* found) {
  const StreamPlan& plan = parts.any()->plan;
  const std::vector<Place*> places = PlacesOf(all, parts);
  absl::Status status = RemoveKeys(places, plan, &found->keys_removed);
  uint64_t of_lines = 1;
  for (int pass = 0; pass < kMaxPasses && of_lines > 0 && status.ok(); ++pass) {
    std::this_thread::sleep_for(kBetweenLooks + std::chrono::milliseconds(200));
    of_lines = 0;
    status = RemoveKeys(places, plan, &of_lines);
  }
  if (status.ok() && of_lines > 0) {
    found->fault = absl::StrCat("the stream ", plan.name,
                                " is not removed: clients go on with it, and make keys again that "
                                "were removed. Its plan is left: end them, and remove it again");
    return status;
  }
  const std::string key = plan.PlanKey();
  for (size_t i = 0; i < places.size() && status.ok(); ++i) {
    Reply reply;
    status = places[i]->Ask(key, {"DEL", key}, &reply);
    if (status.ok()) {
      found->keys_removed += static_cast<uint64_t>(std::max<long long>(reply->integer, 0));
    }
  }
  for (size_t i = 0; i < places.size() && status.ok(); ++i) {
    status = RemovePartsOfKeys(places[i], plan);
  }
  return status;
}

absl::StatusOr<std::set<std::string>> Names(const Places& places) {
  std::set<std::string> names;
  for (const auto& place : places) {
    for (const std::string& key : place->KeyOfEachServer()) {
      if (absl::Status status = Scan(place.get(), key, &names); !status.ok()) return status;
    }
  }
  return names;
}

// Groups the plans of one name by stream: servers may have unrelated streams of the same name.
std::vector<StreamParts> ByPlan(const StreamParts& all) {
  std::vector<StreamParts> streams;
  for (size_t i = 0; i < all.plans.size(); ++i) {
    if (!all.plans[i]) continue;
    const std::string text = all.plans[i]->plan.Text("");
    auto found = std::find_if(streams.begin(), streams.end(), [&text](const StreamParts& one) {
      return one.any()->plan.Text("") == text;
    });
    if (found == streams.end()) {
      streams.push_back({all.name, {}});
      found = streams.end() - 1;
      found->plans.resize(all.plans.size());
    }
    found->plans[i] = all.plans[i];
  }
  return streams;
}

// Returns an error if the name is not that of a single stream, or if not all of its servers were
// asked.
absl::Status RefuseToRemove(const Places& places, const StreamParts& parts) {
  const std::vector<StreamParts> streams = ByPlan(parts);
  const StreamPlan& plan = streams.front().any()->plan;
  if (streams.size() > 1) {
    return absl::FailedPreconditionError(absl::StrCat(
        "these servers have different streams of the name ", parts.name, ", '", plan.Text(""),
        "' and '", streams[1].any()->plan.Text(""), "': give the servers of one of them alone"));
  }
  return HasAll(places, plan)
             ? absl::OkStatus()
             : absl::FailedPreconditionError(Describe(places, parts).faults.back());
}

absl::Status List(const Places& places, std::vector<StreamFound>* streams) {
  const auto names = Names(places);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    const auto all = FindStream(places, name);
    if (IsOfOthers(all.status())) continue;
    if (!all.ok()) return all.status();
    for (const StreamParts& parts : ByPlan(*all)) {
      StreamFound found = Describe(places, parts);
      if (absl::Status status = CountMissing(places, parts, &found); !status.ok()) return status;
      streams->push_back(std::move(found));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StreamsFound> AskStreams(StreamAction action, const RedisPlan& plan) {
  bool is_cluster = false;
  const auto places = ConnectTo(plan, &is_cluster);
  if (!places.ok()) return places.status();
  StreamsFound all;
  all.is_cluster = is_cluster;
  if (action == StreamAction::kList) {
    absl::Status status = List(*places, &all.streams);
    return status.ok() ? absl::StatusOr<StreamsFound>(std::move(all)) : status;
  }
  const auto parts = FindStream(*places, plan.name);
  if (!parts.ok()) return parts.status();
  StreamFound found = Describe(*places, *parts);
  absl::Status status;
  if (action == StreamAction::kCheck) {
    status = CountMissing(*places, *parts, &found);
    if (status.ok()) status = CountBits(*places, *parts, &found);
  } else {
    status = RefuseToRemove(*places, *parts);
    if (status.ok()) status = Remove(*places, *parts, &all);
  }
  if (!status.ok()) return status;
  all.streams.push_back(std::move(found));
  return all;
}

}  // namespace winnow::dedup
