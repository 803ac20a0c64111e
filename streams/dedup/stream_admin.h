// Administration of streams on servers of Redis or Valkey: list, check, remove.

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
  kList,    // all streams
  kCheck,   // the stream of the plan's name, including its bits
  kRemove,  // the stream of the plan's name
};

// A stream as its plan describes it, and counts.
struct StreamFound {
  std::string name;
  std::string plan;  // text of the plan, without the phase
  uint64_t capacity = 0;
  double rate = 0;
  unsigned probes = 0;              // bits per line
  std::string servers;              // separated by commas; empty for a cluster
  uint64_t keys = 0;                // keys with bits, on all servers
  uint64_t bytes = 0;               // bytes of the bits
  uint64_t keys_missing = 0;        // missing keys, on the servers that were asked
  std::string state;                // "whole", or what is missing
  std::vector<std::string> faults;  // sentences; none if the stream is complete

  struct Bits {
    uint64_t set = 0;
    double fill = 0;     // share of set bits
    double rate = 0;     // probability that a new line counts as seen
    uint64_t lines = 0;  // estimated from the share of set bits
  };
  std::optional<Bits> bits;  // set by kCheck
};

struct StreamsFound {
  bool is_cluster = false;
  std::vector<StreamFound> streams;  // sorted by name
  uint64_t keys_removed = 0;         // including plans
  std::string fault;                 // reason of an incomplete removal; a sentence
};

// Runs an action on plan.servers: some servers of a cluster, or else all that the stream has.
// plan.name is the stream's. Returns an error if a server cannot be asked or denies access, or
// kNotFound if there is no such stream. An incomplete stream can be removed, unless servers have
// different plans.
//
// A client that runs while its stream is removed finds a key missing and ends with an error. Keys
// are removed first and the plan last: after an interruption, a further call can remove the rest,
// and no client begins the stream anew before.
absl::StatusOr<StreamsFound> AskStreams(StreamAction action, const RedisPlan& plan);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STREAM_ADMIN_H_
