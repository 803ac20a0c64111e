// Division of a stream's bits into keys of Redis or Valkey.

#ifndef WINNOW_STREAMS_DEDUP_REDIS_SHAPE_H_
#define WINNOW_STREAMS_DEDUP_REDIS_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace winnow::dedup {

// Standard Bloom filters with few probes per line, at most 20.
struct RedisShape {
  unsigned probes = 1;    // k
  uint64_t num_keys = 1;  // keys of each server, or of the whole cluster
  uint64_t bits_per_key = 64;
};

// Returns the position of the bit behind the lines' bits, which says that the key is complete.
inline std::string Sentinel(const RedisShape& shape) { return std::to_string(shape.bits_per_key); }

// Returns the shape for lines that are partitioned by hash into servers, and then into keys of at
// most 64 MiB.
RedisShape ShapeForServers(uint64_t capacity, double rate, size_t num_servers);

// Returns the shape with keys below 4 MiB, and at least 256 keys, so that all servers have about
// equally many.
RedisShape ShapeForCluster(uint64_t capacity, double rate);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_REDIS_SHAPE_H_
