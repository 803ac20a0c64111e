// A line as a Redis command, which sets all bits of the line and returns their previous values.

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
  kLeftOut,  // set no bits: it was not sent, or was refused
  kNew,
  kSeen,
  kUncertain,  // new or seen: the line was sent, but its answer is unknown
};

inline bool IsPrinted(Fate fate) { return fate == Fate::kNew || fate == Fate::kUncertain; }

// Sets is_printed for each line, counts the uncertain lines in *uncertain, and returns the number
// of printed lines.
uint64_t TellPrinted(const std::vector<Fate>& fates, bool* is_printed, uint64_t* uncertain);

struct StreamPlan;

class LineCommand {
 public:
  explicit LineCommand(const RedisShape& shape);

  // Returns the number of the key that has the line's bits.
  uint64_t KeyOf(KeyHash hash) const;

  void Append(KeyHash hash, std::string_view key, std::string* bytes) const;

  // Returns the first positions of the line's bits in its key, at most `most`.
  std::vector<std::string> Positions(KeyHash hash, unsigned most) const;

  // Sets *fate from the answer to a line. Returns an error, which ends the stream, if the answer is
  // one; error_of gives the error for the server's message. may_be_second: the line was sent before
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
