// The plan of a stream in Redis and the names of its keys, on which its clients agree. The layout
// is in streams/amq/FORMAT.md.

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
  std::string servers;  // as they were given, with commas between; empty: of a cluster

  bool is_of_cluster() const { return servers.empty(); }
  std::string PlanKey() const;
  std::string Key(uint64_t number) const;
  unsigned SlotOfKey(uint64_t number) const;  // of a cluster
  // The value of PlanKey() in this phase: begun, and whole when all keys are there.
  std::string Text(std::string_view phase) const;
  // Returns whether bits are to be counted, as so many lines were new since that was done last, of
  // so many in all. Near the rate each new line counts.
  bool IsCountDue(uint64_t since_counted, uint64_t num_added) const {
    return since_counted >= LinesBetweenChecks(capacity) ||
           (since_counted > 0 && num_added > capacity);
  }
};

// The same command for several keys: `word KEY arguments...`.
struct KeysCommand {
  std::string_view word;
  std::vector<std::string_view> arguments;
};

struct BitOfKey {
  uint64_t key;
  std::string position;
};

// A server, or the cluster, where keys are, with a plan of its own.
class KeyHolder {
 public:
  virtual ~KeyHolder() = default;
  // As a sentence about it, where there are several.
  virtual absl::Status About(const absl::Status& status) const { return status; }
  // The answer is no error.
  virtual absl::Status Ask(std::string_view key, const std::vector<std::string_view>& command,
                           redis::Reply* reply) = 0;
  // Sends the command for these keys of the stream, in any order.
  using TakeAnswer = absl::FunctionRef<absl::Status(uint64_t number, const redisReply& reply)>;
  virtual absl::Status AskKeys(const std::vector<uint64_t>& numbers, const KeysCommand& command,
                               TakeAnswer take) = 0;
  // Bits of keys, all asked for before the first answer is waited for. take: which of them, by its
  // place, and what it is.
  using TakeBit = absl::FunctionRef<void(size_t i, bool is_set)>;
  virtual absl::Status AskBits(const std::vector<BitOfKey>& bits, TakeBit take) = 0;
  // Returns whether the server of some keys changed since this was asked last: it may lack what was
  // written before.
  virtual bool MayHaveLostWrites() { return false; }
};

// Makes the keys of all holders at full length, or finds out whether they are there by the same
// plan; an error if theirs is another. All plans are begun before any key is made, and all keys are
// there before a plan says that its own are: so a holder without a plan beside one that is whole
// has lost it, unless an older client is making it just now, which is waited for; and so are keys
// that another client makes, as long as more of them come. It begins only where no holder has a
// plan, and none without one has a key; `may_begin`: or not even then.
absl::Status JoinStream(const StreamPlan& plan, const std::vector<KeyHolder*>& holders,
                        bool may_begin, const redis::Waits& waits, bool* has_begun);

// The sentence to be said where it has begun.
std::string NewStreamSentence(const StreamPlan& plan);

// Checks that these keys are still whole.
absl::Status CheckKeys(const StreamPlan& plan, const std::vector<uint64_t>& numbers,
                       KeyHolder* holder);
// And all, with the plan, which may have been deleted.
absl::Status CheckStream(const StreamPlan& plan, KeyHolder* holder, bool* has_plan);

absl::Status VanishedError(const StreamPlan& plan, std::string_view what);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STREAM_PLAN_H_
