// In place of redis_lines.cc, where there is no hiredis.

#include <absl/status/status.h>

#include "src/dedup/redis_lines.h"

namespace winnow::dedup {

absl::StatusOr<std::unique_ptr<SeenLines>> OpenRedis(const RedisPlan&) {
  return absl::UnimplementedError(
      "this winnow was built without hiredis, which --redis needs: install libhiredis-dev and "
      "build it again");
}

}  // namespace winnow::dedup
