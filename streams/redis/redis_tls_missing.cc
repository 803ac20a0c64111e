#include "streams/redis/redis_tls.h"

namespace winnow::redis {

absl::Status CheckTls() {
  return absl::InvalidArgumentError(
      "this winnow was built without TLS for Redis: build it again where hiredis_ssl, of hiredis "
      "1.0 "
      "or later, and libssl-dev are, or give redis://... of a tunnel like stunnel");
}

absl::Status Encrypt(const std::string& /*host*/, redisContext* /*connection*/) {
  return CheckTls();
}

}  // namespace winnow::redis
