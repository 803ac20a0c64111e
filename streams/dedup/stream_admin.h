// The streams that servers of Redis or Valkey keep: listed, checked, removed.

#ifndef WINNOW_STREAMS_DEDUP_STREAM_ADMIN_H_
#define WINNOW_STREAMS_DEDUP_STREAM_ADMIN_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "streams/dedup/redis_plan.h"

namespace winnow::dedup {

enum class StreamAction {
  kList,    // all of them
  kCheck,   // the one of the plan's name, with its bits
  kRemove,  // that one
};

// As its plan says it, but for what was counted.
struct StreamFound {
  std::string name;
  std::string plan;  // the text, without whether the stream is whole
  uint64_t capacity = 0;
  double rate = 0;
  unsigned probes = 0;              // bits of a line
  std::string servers;              // with commas between; empty: of a cluster
  uint64_t keys = 0;                // that have bits, of all servers
  uint64_t bytes = 0;               // of their bits
  uint64_t keys_missing = 0;        // of those, on the servers that were asked
  std::string state;                // "whole", or what it lacks
  std::vector<std::string> faults;  // sentences; none: it is whole

  struct Bits {
    uint64_t set = 0;
    double fill = 0;     // the share of bits that are set
    double rate = 0;     // the chance that a new line counts as seen
    uint64_t lines = 0;  // by the share of bits
  };
  std::optional<Bits> bits;  // of kCheck
};

struct StreamsFound {
  bool is_cluster = false;
  std::vector<StreamFound> streams;  // by their names
  uint64_t keys_removed = 0;         // and plans
  std::string fault;                 // why a stream could not be removed as a whole; a sentence
};

// On plan.servers: of a cluster some, else all that the stream has. plan.name is the stream's. An
// error if a server can't be asked, or does not let the user; kNotFound if there is no such stream.
// A stream that is not whole can be removed, but not where servers have different plans.
//
// A client that runs while its stream is removed finds that a key has vanished, and ends with an
// error. Keys go first and the plan goes last, so that who ends in between can be followed by
// another who removes the rest, and no client begins the stream anew before.
absl::StatusOr<StreamsFound> AskStreams(StreamAction action, const RedisPlan& plan);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STREAM_ADMIN_H_
