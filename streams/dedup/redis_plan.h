// Options of a stream in Redis or Valkey: servers, name and size.

#ifndef WINNOW_STREAMS_DEDUP_REDIS_PLAN_H_
#define WINNOW_STREAMS_DEDUP_REDIS_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "streams/redis/patience.h"
#include "streams/redis/redis_access.h"

namespace winnow::dedup {

inline constexpr int kDefaultReplay = 30;  // seconds

struct RedisPlan {
  std::vector<redis::RedisAccess> servers;  // all servers, or any servers of a cluster
  std::string name;                         // name of the stream, the prefix of its keys
  uint64_t capacity = 0;
  double rate = 0;
  size_t inflight = 4096;     // maximum number of lines sent without an answer
  std::optional<int> replay;  // seconds, for clusters only; otherwise setting it is an error
  bool may_begin = true;      // true: creates the stream if it does not exist
  // Called with each warning, a sentence.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
  redis::Waits waits;
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_REDIS_PLAN_H_
