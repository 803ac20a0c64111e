// A line as a command of Redis: it sets all bits of the line and gives back what they were.

#ifndef WINNOW_SRC_DEDUP_LINE_COMMAND_H_
#define WINNOW_SRC_DEDUP_LINE_COMMAND_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "src/dedup/redis_shape.h"
#include "src/redis/redis_client.h"
#include "winnow/hash.h"

namespace winnow::dedup {

// Redis numbers bits by itself; the one behind a line's bits says that the key is whole.
inline std::string Sentinel(const RedisShape& shape) { return std::to_string(shape.bits_per_key); }

struct LineAnswer {
  bool all_set = false;  // before
  bool key_is_whole = false;
};

class LineCommand {
 public:
  explicit LineCommand(const RedisShape& shape);

  // The number of the key that has the line's bits.
  uint64_t KeyOf(KeyHash hash) const;

  void Append(KeyHash hash, std::string_view key, std::string* bytes) const;

  // Of an answer that is no error of the server's.
  absl::StatusOr<LineAnswer> Understand(const redisReply& reply) const;

 private:
  const RedisShape shape_;
  std::string begin_;
  std::string end_;
};

}  // namespace winnow::dedup

#endif  // WINNOW_SRC_DEDUP_LINE_COMMAND_H_
