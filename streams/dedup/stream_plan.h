// Plan of a stream in Redis and the names of its keys, on which its clients agree.
// streams/amq/FORMAT.md has the layout.

#ifndef WINNOW_STREAMS_DEDUP_STREAM_PLAN_H_
#define WINNOW_STREAMS_DEDUP_STREAM_PLAN_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "streams/dedup/redis_plan.h"
#include "streams/dedup/redis_shape.h"
#include "streams/dedup/seen_lines.h"
#include "streams/redis/patience.h"
#include "streams/redis/redis_client.h"

namespace winnow::dedup {

struct StreamPlan {
  static StreamPlan OfServers(const RedisPlan& plan);
  static StreamPlan OfCluster(const RedisPlan& plan);

  std::string name;
  uint64_t capacity = 0;
  double rate = 0;
  RedisShape shape;
  std::string servers;  // comma-separated list given by the user; empty for a cluster

  bool is_of_cluster() const { return servers.empty(); }
  std::string PlanKey() const;
  std::string Key(uint64_t number) const;
  unsigned SlotOfKey(uint64_t number) const;  // clusters only
  // Returns the value of PlanKey() in this phase: begun, or whole once all keys exist.
  std::string Text(std::string_view phase) const;
  // Returns whether bits should be counted, after since_counted new lines since the last count and
  // num_added in total. Past the capacity, each new line makes a count due.
  bool IsCountDue(uint64_t since_counted, uint64_t num_added) const {
    return since_counted >= LinesBetweenChecks(capacity) ||
           (since_counted > 0 && num_added > capacity);
  }
};

// One command for several keys: `word KEY arguments...`.
struct KeysCommand {
  std::string_view word;
  std::vector<std::string_view> arguments;
};

struct BitOfKey {
  uint64_t key;
  std::string position;
};

// Server or cluster that holds keys and its own copy of the plan.
class KeyHolder {
 public:
  virtual ~KeyHolder() = default;
  // Returns the status, with the holder's name added if there are several.
  virtual absl::Status About(const absl::Status& status) const { return status; }
  // Sends a command; an error answer becomes an error status.
  virtual absl::Status Ask(std::string_view key, const std::vector<std::string_view>& command,
                           redis::Reply* reply) = 0;
  // Sends the command for these keys of the stream, in any order.
  using TakeAnswer = absl::FunctionRef<absl::Status(uint64_t number, const redisReply& reply)>;
  virtual absl::Status AskKeys(const std::vector<uint64_t>& numbers, const KeysCommand& command,
                               TakeAnswer take) = 0;
  // Gets bits of keys, all requested before the first answer is awaited. Calls take(i, is_set) for
  // bits[i].
  using TakeBit = absl::FunctionRef<void(size_t i, bool is_set)>;
  virtual absl::Status AskBits(const std::vector<BitOfKey>& bits, TakeBit take) = 0;
  // Returns whether the server of some keys changed since the last call: it may lack earlier
  // writes.
  virtual bool MayHaveLostWrites() { return false; }
};

// Creates the keys of all holders at full length, or verifies that they exist by an equal plan;
// returns an error if the existing plan differs. All plans are begun before any key is created, and
// all keys exist before a plan says so. A holder without a plan beside one with a complete plan has
// therefore lost it, unless an older client is just creating it, which is awaited. Keys that
// another client creates are awaited too, as long as it makes progress. Begins the stream only if
// no holder has a plan, and no holder without a plan has a key; never if `may_begin` is false.
absl::Status JoinStream(const StreamPlan& plan, const std::vector<KeyHolder*>& holders,
                        bool may_begin, const redis::Waits& waits, bool* has_begun);

// Returns the message for a newly begun stream.
std::string NewStreamSentence(const StreamPlan& plan);

// Checks that these keys are still complete.
absl::Status CheckKeys(const StreamPlan& plan, const std::vector<uint64_t>& numbers,
                       KeyHolder* holder);
// Checks all keys, and sets *has_plan to whether the plan still exists.
absl::Status CheckStream(const StreamPlan& plan, KeyHolder* holder, bool* has_plan);

absl::Status VanishedError(const StreamPlan& plan, std::string_view what);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STREAM_PLAN_H_
