// Access to the keys of a stream on one server or in a cluster.

#ifndef WINNOW_STREAMS_DEDUP_KEY_HOLDERS_H_
#define WINNOW_STREAMS_DEDUP_KEY_HOLDERS_H_

#include <absl/status/status.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "streams/dedup/stream_plan.h"
#include "streams/redis/redis_client.h"
#include "streams/redis/redis_cluster.h"

namespace winnow::dedup {

// The arguments must outlive the holder.
class KeysOfServer : public KeyHolder {
 public:
  KeysOfServer(const StreamPlan& plan, redis::RedisClient* server) : plan_(plan), server_(server) {}

  absl::Status About(const absl::Status& status) const override;
  absl::Status Ask(std::string_view key, const std::vector<std::string_view>& command,
                   redis::Reply* reply) override;
  absl::Status AskKeys(const std::vector<uint64_t>& numbers, const KeysCommand& command,
                       TakeAnswer take) override;
  absl::Status AskBits(const std::vector<BitOfKey>& bits, TakeBit take) override;

 private:
  const StreamPlan& plan_;
  redis::RedisClient* const server_;
};

class KeysOfCluster : public KeyHolder {
 public:
  KeysOfCluster(const StreamPlan& plan, redis::RedisCluster* cluster)
      : plan_(plan), cluster_(cluster) {}

  absl::Status Ask(std::string_view key, const std::vector<std::string_view>& command,
                   redis::Reply* reply) override;
  absl::Status AskKeys(const std::vector<uint64_t>& numbers, const KeysCommand& command,
                       TakeAnswer take) override;
  absl::Status AskBits(const std::vector<BitOfKey>& bits, TakeBit take) override;
  bool MayHaveLostWrites() override;

 private:
  const StreamPlan& plan_;
  redis::RedisCluster* const cluster_;
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_KEY_HOLDERS_H_
