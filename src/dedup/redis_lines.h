// Seen lines in Redis or Valkey, so that several machines share one stream.

#ifndef WINNOW_SRC_DEDUP_REDIS_LINES_H_
#define WINNOW_SRC_DEDUP_REDIS_LINES_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/dedup/seen_lines.h"

namespace winnow::dedup {

struct RedisPlan {
  std::vector<std::string> servers;  // HOST:PORT
  std::string name;                  // of the stream: what its keys begin with
  std::string password;              // empty: none
  uint64_t capacity = 0;
  double rate = 0;
  size_t inflight = 4096;  // lines that are sent before an answer is waited for
};

// The bits of a standard Bloom filter with few bits a line, at most 20, cut by hash into servers
// and then into keys below 512 MiB each.
struct RedisShape {
  unsigned probes = 1;  // k
  uint64_t keys_per_server = 1;
  uint64_t bits_per_key = 64;
};
RedisShape ShapeForRedis(const RedisPlan& plan);

// Makes the stream's keys, at full length, or goes on with those that another client has made by
// the same plan; an error if theirs is another. Each line is one command on one key, which sets all
// bits and gives back what they were: of clients that send a new line at once exactly one is told
// that it is new.
//
// Add takes up to plan.inflight lines. A line whose answer is lost is sent again as soon as the
// server is back; if all bits are set by then, it is called new and counted as uncertain. An error
// of Add ends the stream; lines that may have set bits are then called new all the same.
//
// Without hiredis there is only an error that says so.
absl::StatusOr<std::unique_ptr<SeenLines>> OpenRedis(const RedisPlan& plan);

}  // namespace winnow::dedup

#endif  // WINNOW_SRC_DEDUP_REDIS_LINES_H_
