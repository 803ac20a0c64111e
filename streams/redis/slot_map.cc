#include "streams/redis/slot_map.h"

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <cstddef>
#include <optional>

#include "streams/redis/key_slots.h"

namespace winnow::redis {
namespace {

constexpr char kNoHost[] = "?";

bool IsArray(const redisReply& reply, size_t least) {
  return reply.type == REDIS_REPLY_ARRAY && reply.elements >= least;
}

absl::string_view TextOf(const redisReply& reply) {
  return reply.str == nullptr ? absl::string_view() : absl::string_view(reply.str, reply.len);
}

bool IsPort(long long number) { return number > 0 && number <= UINT16_MAX; }

// Returns the value of this name in the metadata that Redis 7.0 and later has behind a server's id,
// or an empty string.
absl::string_view Further(const redisReply& server, absl::string_view name) {
  if (server.elements < 4 || server.element[3]->type != REDIS_REPLY_ARRAY) return {};
  const redisReply& pairs = *server.element[3];
  for (size_t i = 0; i + 1 < pairs.elements; i += 2) {
    const absl::string_view value = TextOf(*pairs.element[i + 1]);
    if (TextOf(*pairs.element[i]) == name && value != "?") return value;
  }
  return {};
}

// Parses a server in an answer to CLUSTER SLOTS: host, port, and further fields from Redis 4.0 on.
// A host "?" is an unknown name of a server that prefers names; the metadata may have its IP
// address.
std::optional<HostAndPort> ParseServer(const redisReply& reply, const std::string& asked_host) {
  if (!IsArray(reply, 2) || reply.element[1]->type != REDIS_REPLY_INTEGER ||
      !IsPort(reply.element[1]->integer)) {
    return std::nullopt;
  }
  absl::string_view host = TextOf(*reply.element[0]);
  if (host == kNoHost) host = Further(reply, "ip");
  return HostAndPort{host.empty() ? asked_host : std::string(host),
                     static_cast<int>(reply.element[1]->integer)};
}

std::string ParseId(const redisReply& server) {
  const redisReply* const id = server.elements < 3 ? nullptr : server.element[2];
  return id == nullptr ? "" : std::string(TextOf(*id));
}

std::optional<SlotRange> ParseRange(const redisReply& reply, const std::string& asked_host) {
  if (!IsArray(reply, 3) || reply.element[0]->type != REDIS_REPLY_INTEGER ||
      reply.element[1]->type != REDIS_REPLY_INTEGER) {
    return std::nullopt;
  }
  const long long first = reply.element[0]->integer;
  const long long last = reply.element[1]->integer;
  if (first < 0 || first > last || last >= kNumSlots) return std::nullopt;
  SlotRange range;
  range.first = static_cast<unsigned>(first);
  range.last = static_cast<unsigned>(last);
  for (size_t i = 2; i < reply.elements; ++i) {
    std::optional<HostAndPort> server = ParseServer(*reply.element[i], asked_host);
    if (!server) return std::nullopt;
    if (i == 2) {
      range.master = *std::move(server);
      range.master_id = ParseId(*reply.element[i]);
    } else {
      range.replicas.push_back(*std::move(server));
    }
  }
  return range;
}

// Parses "MOVED 3999 127.0.0.1:6381"; IPv6 addresses have no brackets there.
bool ParseTarget(absl::string_view words, const std::string& asked_host, Redirect* redirect) {
  words.remove_prefix(words.find(' ') + 1);
  const size_t blank = words.find(' ');
  const size_t colon = words.rfind(':');
  int port = 0;
  if (blank == words.npos || colon == words.npos || colon < blank ||
      !absl::SimpleAtoi(words.substr(0, blank), &redirect->slot) || redirect->slot >= kNumSlots ||
      !absl::SimpleAtoi(words.substr(colon + 1), &port) || !IsPort(port)) {
    return false;
  }
  const absl::string_view host = words.substr(blank + 1, colon - blank - 1);
  redirect->target.port = port;
  if (host != kNoHost) redirect->target.host = host.empty() ? asked_host : std::string(host);
  return true;
}

}  // namespace

absl::StatusOr<std::vector<SlotRange>> ParseSlotRanges(const redisReply& reply,
                                                       const std::string& asked_host) {
  std::vector<SlotRange> ranges;
  for (size_t i = 0; IsArray(reply, i + 1); ++i) {
    std::optional<SlotRange> range = ParseRange(*reply.element[i], asked_host);
    if (!range) break;
    ranges.push_back(*std::move(range));
  }
  if (!IsArray(reply, 0) || ranges.size() < reply.elements) {
    return absl::FailedPreconditionError(
        "it answers CLUSTER SLOTS with something else than Redis and Valkey do: give servers of "
        "these");
  }
  return ranges;
}

// Parses lines of the form "ID HOST:PORT@PORT FLAGS MASTER PING PONG EPOCH LINK SLOT...".
std::map<std::string, uint64_t> ParseEpochs(const redisReply& reply) {
  std::map<std::string, uint64_t> epochs;
  if (reply.type != REDIS_REPLY_STRING) return epochs;
  const absl::string_view text(reply.str, reply.len);
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<std::string> words = absl::StrSplit(line, absl::MaxSplits(' ', 7));
    uint64_t epoch = 0;
    if (words.size() >= 7 && absl::SimpleAtoi(words[6], &epoch)) epochs[words[0]] = epoch;
  }
  return epochs;
}

Redirect ParseRedirect(const redisReply& reply, const std::string& asked_host) {
  Redirect redirect;
  if (reply.type != REDIS_REPLY_ERROR) return redirect;
  const absl::string_view words(reply.str, reply.len);
  const struct {
    const char* start;
    Refusal refusal;
    const char* reason;
  } known[] = {
      {"MOVED ", Refusal::kMoved, "it sends commands to another server, and that one back"},
      {"ASK ", Refusal::kAsk, "it sends commands to another server, and that one back"},
      {"TRYAGAIN", Refusal::kTryAgain,
       "a slot is being moved, and half of a command's keys with it"},
      {"CLUSTERDOWN", Refusal::kClusterDown, "its cluster is down"},
      {"LOADING", Refusal::kNotYet, "it loads its data"},
      {"MASTERDOWN", Refusal::kNotYet, "it is a replica, and its master is away"},
      {"READONLY", Refusal::kNotYet, "it is a replica, and no other server is master"},
      {"NOREPLICAS", Refusal::kNotYet,
       "it takes no writes as too few replicas follow it (min-replicas-to-write)"},
  };
  for (const auto& row : known) {
    if (!absl::StartsWith(words, row.start)) continue;
    const bool has_target = row.refusal == Refusal::kMoved || row.refusal == Refusal::kAsk;
    if (has_target && !ParseTarget(words, asked_host, &redirect)) return redirect;
    redirect.refusal = row.refusal;
    redirect.reason = row.reason;
    return redirect;
  }
  return redirect;
}

}  // namespace winnow::redis
