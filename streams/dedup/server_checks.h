// Checks of a stream's servers before it begins on them.

#ifndef WINNOW_STREAMS_DEDUP_SERVER_CHECKS_H_
#define WINNOW_STREAMS_DEDUP_SERVER_CHECKS_H_

#include <absl/status/status.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "streams/dedup/stream_plan.h"
#include "streams/redis/redis_access.h"
#include "streams/redis/redis_client.h"

namespace winnow::dedup {

// More of one server is said when the stream begins.
inline constexpr uint64_t kMuchOfServer = uint64_t{16} << 30;

// Facts that INFO gives; those that this user may not ask for are empty.
struct ServerFacts {
  std::string address;
  std::string run_id;            // of this run of the server, and of no other
  std::string maxmemory_policy;  // as it can be shown
  std::string aof_enabled;       // "0": it keeps no log
};
// The key lies on the server.
ServerFacts FactsOf(const std::string& address, std::string_view key, KeyHolder* server);

// An error, a sentence, where two of these are one server and one database of it, by whatever names
// they are given: their lines would share bits. The facts are in the same order.
absl::Status RefuseSameServer(const std::vector<redis::RedisAccess>& servers,
                              const std::vector<ServerFacts>& facts);

// Says what may end the stream, each thing in one sentence for all servers.
using Warn = std::function<void(const std::string&)>;
void WarnOfServers(const std::vector<ServerFacts>& servers, const Warn& warn);

// If the stream is about to begin, and takes much of these servers, which is so many bytes of the
// one that has most of it, says so.
void WarnIfLarge(const StreamPlan& plan, const std::vector<ServerFacts>& servers, double bytes,
                 KeyHolder* holder, const Warn& warn);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_SERVER_CHECKS_H_
