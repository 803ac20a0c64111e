#include "db_bench_ext/read_amplification/keys/zipf.h"

#include <algorithm>
#include <cmath>

namespace winnow::bench {
namespace {

// Returns a 53-bit fraction in [0, 1); the standard library's distributions differ between
// implementations.
double Fraction(Random* random) { return static_cast<double>((*random)() >> 11) * 0x1p-53; }

// (e^x - 1) / x and log(1 + x) / x, continued smoothly at 0.
double ExpRatio(double x) { return std::abs(x) > 1e-8 ? std::expm1(x) / x : 1 + x / 2; }
double LogRatio(double x) { return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1 - x / 2; }

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
  // Rounding may move the argument below the domain of the logarithm.
  const double t = std::max(-1.0, y * (1 - exponent_));
  return std::exp(LogRatio(t) * y);
}

double ZipfRanks::Weight(double rank) const { return std::exp(-exponent_ * std::log(rank)); }

}  // namespace winnow::bench
