// Servers that are asked for streams: single servers or a cluster.

#ifndef WINNOW_STREAMS_DEDUP_STREAM_PLACES_H_
#define WINNOW_STREAMS_DEDUP_STREAM_PLACES_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "streams/dedup/redis_plan.h"
#include "streams/dedup/stream_plan.h"
#include "streams/redis/redis_client.h"

namespace winnow::dedup {

// One server, or a whole cluster.
class Place {
 public:
  virtual ~Place() = default;
  virtual const std::string& address() const = 0;
  // Sends a command for one key; error messages name the server.
  virtual absl::Status Ask(std::string_view key, const std::vector<std::string_view>& command,
                           redis::Reply* reply) = 0;
  virtual absl::Status AskKeys(const StreamPlan& plan, const KeysCommand& command,
                               KeyHolder::TakeAnswer take) = 0;
  // Returns one key on each server.
  virtual std::vector<std::string> KeyOfEachServer() const = 0;
};

using Places = std::vector<std::unique_ptr<Place>>;

// Connects to all servers of the plan, or to their cluster.
absl::StatusOr<Places> ConnectTo(const RedisPlan& plan, bool* is_cluster);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STREAM_PLACES_H_
