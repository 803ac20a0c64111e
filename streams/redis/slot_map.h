// Parses what servers of a cluster say of who has which slot: the answer to CLUSTER SLOTS, and
// errors that send a command elsewhere.

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

// Slots that follow each other, and who has them.
struct SlotRange {
  unsigned first = 0;
  unsigned last = 0;
  HostAndPort master;
  std::string master_id;  // empty before Redis 4.0
  std::vector<HostAndPort> replicas;
};

// An answer to CLUSTER SLOTS. Servers whose host is not said have that of the one that answered.
absl::StatusOr<std::vector<SlotRange>> ParseSlotRanges(const redisReply& reply,
                                                       const std::string& asked_host);

// When servers became masters, by their ids, as an answer to CLUSTER NODES says it: the number
// grows with each fail-over that makes it master, and when it takes over slots.
std::map<std::string, uint64_t> ParseEpochs(const redisReply& reply);

// Why a command was not carried out.
enum class Refusal {
  kNone,         // it was, or the error is another
  kMoved,        // the slot is another server's
  kAsk,          // its key is on the way to another server
  kTryAgain,     // its keys are on both sides of a move
  kClusterDown,  // nobody has the slot, or too few servers see each other
  kNotYet,       // this server can't carry it out now
};

struct Redirect {
  Refusal refusal = Refusal::kNone;
  unsigned slot = 0;   // of kMoved and kAsk
  HostAndPort target;  // of kMoved and kAsk; without a host where that is not known
  const char* reason = "";
};
Redirect ParseRedirect(const redisReply& reply, const std::string& asked_host);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_SLOT_MAP_H_
