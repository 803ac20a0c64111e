#include <algorithm>
#include <cmath>

#include "src/dedup/redis_lines.h"

namespace winnow::dedup {
namespace {

constexpr double kMostProbes = 20;
// Half of the probes that a filter of the fewest bits has, and a few: their number is what a server
// spends its time on, and 16 in place of 30 at 1e-9 take 16 % more bits.
constexpr double kShareOfProbes = 0.53;
// 64 MiB: a server stands still while it allocates a key.
constexpr double kMostBitsPerKey = 536'870'912;

}  // namespace

RedisShape ShapeForRedis(const RedisPlan& plan) {
  RedisShape shape;
  const double probes =
      std::clamp(std::ceil(kShareOfProbes * std::log2(1 / plan.rate)), 1.0, kMostProbes);
  shape.probes = static_cast<unsigned>(probes);
  const double bits_per_line = probes / -std::log1p(-std::pow(plan.rate, 1 / probes));
  const double bits = bits_per_line * static_cast<double>(WithHeadroom(plan.capacity)) /
                      static_cast<double>(plan.servers.size());
  shape.keys_per_server = static_cast<uint64_t>(std::max(1.0, std::ceil(bits / kMostBitsPerKey)));
  const double bytes = std::ceil(bits / static_cast<double>(shape.keys_per_server) / 8);
  shape.bits_per_key = 8 * std::max<uint64_t>(static_cast<uint64_t>(bytes), 8);
  return shape;
}

}  // namespace winnow::dedup
