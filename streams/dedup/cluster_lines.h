// Seen lines in a cluster of Redis or Valkey.

#ifndef WINNOW_STREAMS_DEDUP_CLUSTER_LINES_H_
#define WINNOW_STREAMS_DEDUP_CLUSTER_LINES_H_

#include <absl/status/statusor.h>

#include <memory>

#include "streams/dedup/redis_plan.h"
#include "streams/dedup/seen_lines.h"

namespace winnow::dedup {

// OpenRedis() for a cluster; the plan may name any of its servers.
absl::StatusOr<std::unique_ptr<SeenLines>> OpenCluster(const RedisPlan& plan);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_CLUSTER_LINES_H_
