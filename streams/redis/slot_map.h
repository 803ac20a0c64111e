// Parsing of what cluster servers say about slots: answers to CLUSTER SLOTS, and redirection
// errors.

#ifndef WINNOW_STREAMS_REDIS_SLOT_MAP_H_
#define WINNOW_STREAMS_REDIS_SLOT_MAP_H_

#include <absl/status/statusor.h>
#include <hiredis/hiredis.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace winnow::redis {

struct HostAndPort {
  std::string host;
  int port = 0;
};

// A range of consecutive slots and its servers.
struct SlotRange {
  unsigned first = 0;
  unsigned last = 0;
  HostAndPort master;
  std::string master_id;  // empty before Redis 4.0
  std::vector<HostAndPort> replicas;
};

// Parses an answer to CLUSTER SLOTS. A server without a host gets the host of the server that
// answered.
absl::StatusOr<std::vector<SlotRange>> ParseSlotRanges(const redisReply& reply,
                                                       const std::string& asked_host);

// Returns the config epochs of masters by server id, from an answer to CLUSTER NODES. The epoch
// increases with each fail-over that promotes the server, and when it takes over slots.
std::map<std::string, uint64_t> ParseEpochs(const redisReply& reply);

// Reason why a command was not executed.
enum class Refusal {
  kNone,         // executed, or another error
  kMoved,        // the slot belongs to another server
  kAsk,          // the key is migrating to another server
  kTryAgain,     // the keys are on both sides of a migration
  kClusterDown,  // the slot is unserved, or the server sees too few others
  kNotYet,       // this server cannot execute it now
};

struct Redirect {
  Refusal refusal = Refusal::kNone;
  unsigned slot = 0;   // kMoved and kAsk only
  HostAndPort target;  // kMoved and kAsk only; host empty if unknown
  const char* reason = "";
};
Redirect ParseRedirect(const redisReply& reply, const std::string& asked_host);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_SLOT_MAP_H_
