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
  std::vector<redis::RedisAccess> servers;  // of a cluster any
  std::string name;                         // of the stream: what its keys begin with
  uint64_t capacity = 0;
  double rate = 0;
  size_t inflight = 4096;     // lines that are sent before an answer is waited for
  std::optional<int> replay;  // seconds, of a cluster; else it is an error to give it
  bool may_begin = true;      // the stream, where there is none
  std::function<void(const std::string&)> warn = [](const std::string&) {};  // a sentence
  redis::Waits waits;
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_REDIS_PLAN_H_
