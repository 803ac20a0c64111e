#include "db_bench_ext/read_amplification/zipf.h"

#include <algorithm>
#include <cmath>

namespace winnow::bench {
namespace {

// 53 bits, from 0 to below 1; the standard library's own differ between implementations.
double Fraction(Random* random) { return static_cast<double>((*random)() >> 11) * 0x1p-53; }

// (e^x - 1) / x and log(1 + x) / x, which go on smoothly at 0.
double ExpRatio(double x) { return std::abs(x) > 1e-8 ? std::expm1(x) / x : 1 + x / 2; }
double LogRatio(double x) { return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1 - x / 2; }

// The finisher of SplitMix64: every bit of the input changes half of the output's.
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

ZipfRanks::ZipfRanks(uint64_t n, double exponent)
    : n_(static_cast<double>(n)), exponent_(exponent) {
  low_ = Integral(1.5) - 1;
  high_ = Integral(n_ + 0.5);
  accept_ = 2 - InverseIntegral(Integral(2.5) - Weight(2));
}

uint64_t ZipfRanks::Draw(Random* random) const {
  for (;;) {
    const double u = high_ + Fraction(random) * (low_ - high_);
    const double x = InverseIntegral(u);
    const double rank = std::clamp(std::floor(x + 0.5), 1.0, n_);
    if (rank - x <= accept_ || u >= Integral(rank + 0.5) - Weight(rank)) {
      return static_cast<uint64_t>(rank);
    }
  }
}

double ZipfRanks::Integral(double x) const {
  const double log = std::log(x);
  return ExpRatio((1 - exponent_) * log) * log;
}

double ZipfRanks::InverseIntegral(double y) const {
  // Rounding may take the argument of the logarithm below what the function has.
  const double t = std::max(-1.0, y * (1 - exponent_));
  return std::exp(LogRatio(t) * y);
}

double ZipfRanks::Weight(double rank) const { return std::exp(-exponent_ * std::log(rank)); }

Scatter::Scatter(uint64_t n, uint64_t seed) : n_(n), half_bits_(1) {
  while ((uint64_t{1} << (2 * half_bits_)) < n) ++half_bits_;
  Random random(seed);
  for (uint64_t& key : keys_) key = random();
}

uint64_t Scatter::operator()(uint64_t i) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  do {
    uint64_t left = i >> half_bits_, right = i & mask;
    for (const uint64_t key : keys_) {
      const uint64_t next = left ^ (Mix(right ^ key) & mask);
      left = right;
      right = next;
    }
    i = left << half_bits_ | right;
  } while (i >= n_);
  return i;
}

std::vector<uint32_t> ZipfPicks(size_t count, uint32_t below, double exponent, uint64_t seed) {
  constexpr uint64_t kScatterSalt = 0x73636174746572;
  const ZipfRanks ranks(below, exponent);
  const Scatter scatter(below, seed ^ kScatterSalt);
  std::vector<uint32_t> picks(count);
  Random random(seed);
  for (uint32_t& pick : picks) {
    pick = static_cast<uint32_t>(scatter(ranks.Draw(&random) - 1));
  }
  return picks;
}

}  // namespace winnow::bench
