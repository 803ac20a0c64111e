// How the bits of a stream are cut into keys of Redis or Valkey.

#ifndef WINNOW_STREAMS_DEDUP_REDIS_SHAPE_H_
#define WINNOW_STREAMS_DEDUP_REDIS_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace winnow::dedup {

// Standard Bloom filters with few bits a line, at most 20.
struct RedisShape {
  unsigned probes = 1;    // k
  uint64_t num_keys = 1;  // of each server, or of the whole cluster
  uint64_t bits_per_key = 64;
};

// Redis numbers bits by itself; the one behind a line's bits says that the key is whole.
inline std::string Sentinel(const RedisShape& shape) { return std::to_string(shape.bits_per_key); }

// Lines are cut by hash into servers, and then into keys of 64 MiB at most.
RedisShape ShapeForServers(uint64_t capacity, double rate, size_t num_servers);

// Into keys below 4 MiB, and at least 256 of them, so that no server has many more than another.
RedisShape ShapeForCluster(uint64_t capacity, double rate);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_REDIS_SHAPE_H_
