// Replacement of redis_lines.cc in builds without hiredis.

#include <absl/status/status.h>

#include "streams/dedup/redis_lines.h"
#include "streams/dedup/stream_admin.h"

namespace winnow::dedup {
namespace {

absl::Status Missing() {
  return absl::UnimplementedError(
      "this winnow was built without hiredis, which --redis needs: install libhiredis-dev and "
      "build it again");
}

}  // namespace

absl::StatusOr<std::unique_ptr<SeenLines>> OpenRedis(const RedisPlan&) { return Missing(); }

absl::StatusOr<StreamsFound> AskStreams(StreamAction, const RedisPlan&) { return Missing(); }

}  // namespace winnow::dedup
