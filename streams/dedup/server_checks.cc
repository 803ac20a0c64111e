#include "streams/dedup/server_checks.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include <cstddef>
#include <map>

namespace winnow::dedup {

ServerFacts FactsOf(const std::string& address, std::string_view key, KeyHolder* server) {
  ServerFacts facts;
  facts.address = address;
  redis::Reply reply;
  if (!server->Ask(key, {"INFO"}, &reply).ok() || reply->type != REDIS_REPLY_STRING) return facts;
  const absl::string_view info(reply->str, reply->len);
  for (absl::string_view line : absl::StrSplit(info, "\r\n")) {
    const auto take = [&line](absl::string_view name, std::string* value) {
      if (absl::ConsumePrefix(&line, name)) *value = redis::Shown(line);
    };
    take("run_id:", &facts.run_id);
    take("maxmemory_policy:", &facts.maxmemory_policy);
    take("aof_enabled:", &facts.aof_enabled);
  }
  return facts;
}

absl::Status RefuseSameServer(const std::vector<redis::RedisAccess>& servers,
                              const std::vector<ServerFacts>& facts) {
  for (size_t i = 0; i < servers.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool is_same_address =
          servers[i].host == servers[j].host && servers[i].port == servers[j].port;
      const bool is_same_run = !facts[i].run_id.empty() && facts[i].run_id == facts[j].run_id;
      if (servers[i].database != servers[j].database || (!is_same_address && !is_same_run)) {
        continue;
      }
      return absl::InvalidArgumentError(
          absl::StrCat(servers[j].address, " and ", servers[i].address,
                       " of --redis are the same server", is_same_address ? "" : " (by its run_id)",
                       ", where their lines would share their bits: give each server once"));
    }
  }
  return absl::OkStatus();
}

void WarnOfServers(const std::vector<ServerFacts>& servers, const Warn& warn) {
  std::vector<std::string> without_log;
  std::map<std::string, std::vector<std::string>> by_policy;
  for (const ServerFacts& server : servers) {
    if (server.aof_enabled == "0") without_log.push_back(server.address);
    if (!server.maxmemory_policy.empty() && server.maxmemory_policy != "noeviction") {
      by_policy[server.maxmemory_policy].push_back(server.address);
    }
  }
  if (!without_log.empty()) {
    warn(absl::StrCat("warning: ", absl::StrJoin(without_log, ", "),
                      without_log.size() == 1 ? " keeps" : " keep",
                      " no append-only log: the stream ends when such a server restarts without "
                      "its keys; where it restarts from a snapshot, lines since the last snapshot "
                      "may be printed again; set appendonly yes"));
  }
  for (const auto& [policy, addresses] : by_policy) {
    warn(absl::StrCat("warning: ", absl::StrJoin(addresses, ", "),
                      addresses.size() == 1 ? " has" : " have", " the maxmemory-policy ", policy,
                      ": the stream ends when a key of it is evicted; set noeviction"));
  }
}

void WarnIfLarge(const StreamPlan& plan, const std::vector<ServerFacts>& servers, double bytes,
                 KeyHolder* holder, const Warn& warn) {
  if (bytes <= static_cast<double>(kMuchOfServer)) return;
  redis::Reply reply;
  const std::string key = plan.PlanKey();
  if (!holder->Ask(key, {"GET", key}, &reply).ok() || reply->type != REDIS_REPLY_NIL) return;
  const auto append_address = [](std::string* text, const ServerFacts& server) {
    text->append(server.address);
  };
  warn(absl::StrFormat(
      "warning: the stream %s takes %.1f GiB of %s%s, and time to load and to save in proportion: "
      "give more servers, a lower --capacity or a higher --rate",
      plan.name, bytes / (1 << 30), servers.size() == 1 ? "" : "each of ",
      absl::StrJoin(servers, ", ", append_address)));
}

}  // namespace winnow::dedup
