#include "streams/dedup/redis_shape.h"

#include <algorithm>
#include <cmath>

#include "streams/amq/paged_sizing.h"
#include "streams/dedup/seen_lines.h"

namespace winnow::dedup {
namespace {

constexpr double kMaxProbes = 20;
// Share of the probes of a filter with the fewest bits: servers spend their time on probes, and 16
// instead of 30 probes at a rate of 1e-9 take only 16 % more bits.
constexpr double kShareOfProbes = 0.53;
// 64 MiB: the server blocks while it allocates a key.
constexpr double kMaxBitsPerKey = 536'870'912;

// Maximum size of a key in a cluster: a server blocks while a key migrates. The rest of the 4 MiB
// allocation is for the server's header and the sentinel bit.
constexpr double kMaxBitsPerMovedKey = 8 * (4'194'304 - 64);
constexpr double kMinMovedKeys = 256;

struct Bits {
  double probes = 1;
  double all = 64;
};

Bits BitsFor(uint64_t capacity, double rate) {
  Bits bits;
  bits.probes = std::clamp(std::ceil(kShareOfProbes * std::log2(1 / rate)), 1.0, kMaxProbes);
  const double bits_per_line = bits.probes / -std::log1p(-std::pow(rate, 1 / bits.probes));
  bits.all = bits_per_line * static_cast<double>(WithHeadroom(capacity));
  return bits;
}

RedisShape Cut(double probes, double bits, double keys) {
  RedisShape shape;
  shape.probes = static_cast<unsigned>(probes);
  shape.num_keys = static_cast<uint64_t>(keys);
  shape.bits_per_key = 8 * std::max<uint64_t>(static_cast<uint64_t>(std::ceil(bits / keys / 8)), 8);
  return shape;
}

}  // namespace

RedisShape ShapeForServers(uint64_t capacity, double rate, size_t num_servers) {
  const Bits bits = BitsFor(capacity, rate);
  const double of_server = bits.all / static_cast<double>(num_servers);
  return Cut(bits.probes, of_server, std::max(1.0, std::ceil(of_server / kMaxBitsPerKey)));
}

// Keys have varying numbers of lines, which matters if keys have few lines.
RedisShape ShapeForCluster(uint64_t capacity, double rate) {
  constexpr double kStep = 1.001;
  constexpr double kDeviations = 4;
  Bits bits = BitsFor(capacity, rate);
  const auto lines = static_cast<double>(WithHeadroom(capacity));
  for (;; bits.all *= kStep) {
    const double keys = std::max(kMinMovedKeys, std::ceil(bits.all / kMaxBitsPerMovedKey));
    const RedisShape shape = Cut(bits.probes, bits.all, keys);
    const amq::PageRates rates =
        amq::RatesOfPages(lines, keys, static_cast<double>(shape.bits_per_key), shape.probes);
    if (rates.mean + kDeviations * rates.deviation / std::sqrt(keys) <= rate) return shape;
  }
}

}  // namespace winnow::dedup
