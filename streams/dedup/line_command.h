// A line as a command of Redis: it sets all bits of the line and gives back what they were.

#ifndef WINNOW_STREAMS_DEDUP_LINE_COMMAND_H_
#define WINNOW_STREAMS_DEDUP_LINE_COMMAND_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "streams/dedup/redis_shape.h"
#include "streams/redis/redis_client.h"
#include "winnow/hash.h"

namespace winnow::dedup {

// Outcome of sending a line.
enum class Fate : unsigned char {
  kLeftOut,  // it set no bits: it was not sent, or refused
  kNew,
  kSeen,
  kUncertain,  // new or seen: it was sent, and what it found is not known
};

inline bool IsPrinted(Fate fate) { return fate == Fate::kNew || fate == Fate::kUncertain; }

// Says for each line whether it is printed, counts those that are uncertain, and gives back how
// many are printed.
uint64_t TellPrinted(const std::vector<Fate>& fates, bool* is_printed, uint64_t* uncertain);

struct StreamPlan;

class LineCommand {
 public:
  explicit LineCommand(const RedisShape& shape);

  // The number of the key that has the line's bits.
  uint64_t KeyOf(KeyHash hash) const;

  void Append(KeyHash hash, std::string_view key, std::string* bytes) const;

  // The first positions of the line's bits in its key, at most `most`.
  std::vector<std::string> Positions(KeyHash hash, unsigned most) const;

  // Tells what an answer says of its line, also where it is an error, which ends the stream; the
  // sentence for an error of the server's is error_of's. may_be_second: the line was sent before,
  // and that answer was lost.
  using ErrorOf = absl::FunctionRef<absl::Status(const redisReply&)>;
  absl::Status Understand(const redisReply& reply, bool may_be_second, const StreamPlan& plan,
                          ErrorOf error_of, Fate* fate) const;

 private:
  const RedisShape shape_;
  std::string begin_;
  std::string end_;
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_LINE_COMMAND_H_
