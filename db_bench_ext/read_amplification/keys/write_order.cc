#include "db_bench_ext/read_amplification/keys/write_order.h"

#include <utility>

#include "src/base/random.h"

namespace winnow::bench {
namespace {

constexpr int kRounds = 6;

}  // namespace

WriteOrder::WriteOrder(uint64_t n, uint64_t seed) : n_(n), seed_(Mix(seed)) {
  while (half_bits_ < 31 && (uint64_t{1} << (2 * half_bits_)) < n) ++half_bits_;
}

uint64_t WriteOrder::Step(uint64_t x) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t left = x >> half_bits_;
  uint64_t right = x & mask;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t key = seed_ + static_cast<uint64_t>(round) * 0x9e3779b97f4a7c15;
    left ^= Mix(right ^ key) & mask;
    std::swap(left, right);
  }
  return left << half_bits_ | right;
}

uint64_t WriteOrder::operator[](uint64_t position) const {
  uint64_t x = Step(position);
  while (x >= n_) x = Step(x);
  return x;
}

}  // namespace winnow::bench
