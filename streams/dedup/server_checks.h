// Checks of a stream's servers before the stream begins.

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

// Bytes of one server's memory above which a warning is given when the stream begins.
inline constexpr uint64_t kMuchOfServer = uint64_t{16} << 30;

// Facts from INFO; a fact that this user may not read is empty.
struct ServerFacts {
  std::string address;
  std::string run_id;            // unique to this run of the server
  std::string maxmemory_policy;  // printable
  std::string aof_enabled;       // "0": no append-only file
};
// Returns the facts of the server that has `key`.
ServerFacts FactsOf(const std::string& address, std::string_view key, KeyHolder* server);

// Returns an error if two entries are the same database of one server under whatever names: their
// lines would share bits. `facts` are in the order of `servers`.
absl::Status RefuseSameServer(const std::vector<redis::RedisAccess>& servers,
                              const std::vector<ServerFacts>& facts);

// Warns of settings that may end the stream, in one sentence each for all servers.
using Warn = std::function<void(const std::string&)>;
void WarnOfServers(const std::vector<ServerFacts>& servers, const Warn& warn);

// Warns if the stream is about to begin and takes much memory of these servers; `bytes` is the
// maximum for one server.
void WarnIfLarge(const StreamPlan& plan, const std::vector<ServerFacts>& servers, double bytes,
                 KeyHolder* holder, const Warn& warn);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_SERVER_CHECKS_H_
