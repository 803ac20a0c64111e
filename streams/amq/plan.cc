#include "streams/amq/plan.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <locale>
#include <sstream>

namespace winnow::amq {
namespace {

// Factor by which a rate must exceed that of equal hashes; the difference is left for the filter.
constexpr double kAboveEqualHashes = 1.001;
// Factor that makes a number rounded to three digits at least the number itself.
constexpr double kRoundedUp = 1.006;

// m = -k n / ln(1 - p^(1/k)) plus two corrections: 1, since the formula has e^(-1/m) for 1 - 1/m,
// and the bits for the varying number of set bits.
double BitsForProbes(uint64_t n, double rate, unsigned probes) noexcept {
  const double keys = static_cast<double>(n);
  double low = std::ceil(-keys * probes / std::log1p(-std::pow(rate, 1.0 / probes))) + 1;
  if (BloomRate(n, low, probes) <= rate) return low;
  double high = 2 * low + 64;
  while (BloomRate(n, high, probes) > rate) high *= 2;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (BloomRate(n, middle, probes) <= rate ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::string CheckPlan(const Plan& plan) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  if (plan.capacity > kMostKeys) {
    text << "capacity is " << plan.capacity << ", but must be at most " << kMostKeys;
    // The condition is negated, so that NaN is out of range.
  } else if (!(plan.rate >= kLowestRate && plan.rate <= kHighestRate)) {
    text << "rate is " << plan.rate << ", but must be from " << kLowestRate << " to "
         << kHighestRate;
  } else if (const double lowest = LowestRate(plan.capacity); plan.rate < lowest) {
    text << "rate is " << plan.rate << ", but must be at least " << std::setprecision(3)
         << lowest * kRoundedUp << " for a capacity of " << plan.capacity
         << ": capacity / 2^64 of all absent keys have the hash of a key";
  }
  return text.str();
}

Plan NearestValid(const Plan& plan) noexcept {
  Plan valid = plan;
  valid.capacity = std::min(plan.capacity, kMostKeys);
  const double lowest = LowestRate(valid.capacity);
  valid.rate = plan.rate >= lowest ? std::min(plan.rate, kHighestRate) : lowest;
  return valid;
}

double EqualHashRate(uint64_t n) noexcept { return std::ldexp(static_cast<double>(n), -64); }

double LowestRate(uint64_t capacity) noexcept {
  return std::max(kLowestRate, kAboveEqualHashes * EqualHashRate(capacity));
}

double OwnRate(const Plan& plan) noexcept {
  const Plan valid = NearestValid(plan);
  return valid.rate - EqualHashRate(valid.capacity);
}

double MeanOfPower(double mean, double relative_variance, unsigned k) noexcept {
  return std::pow(mean, k) * std::exp(0.5 * k * (k - 1.0) * std::log1p(relative_variance));
}

BloomShape ShapeOfBloom(const Plan& plan) noexcept {
  const uint64_t n = std::max<uint64_t>(plan.capacity, 1);
  const double rate = OwnRate(plan);
  const auto fewer = std::max(1u, static_cast<unsigned>(std::log2(1 / rate)));
  const double with_fewer = BitsForProbes(n, rate, fewer);
  const double with_more = BitsForProbes(n, rate, fewer + 1);
  BloomShape shape;
  shape.probes = with_more < with_fewer ? fewer + 1 : fewer;
  shape.bits = static_cast<uint64_t>(std::min(with_fewer, with_more));
  return shape;
}

double ExpectedFill(uint64_t n, double m, unsigned probes) noexcept {
  return -std::expm1(static_cast<double>(n) * probes * std::log1p(-1 / m));
}

// The number of set bits has the variance m (e^-a - (1 + a) e^-2a), a = kn / m.
double BloomRate(uint64_t n, double m, unsigned probes) noexcept {
  const double fill = ExpectedFill(n, m, probes);
  if (fill <= 0) return 0;
  const double load = static_cast<double>(n) * probes / m;
  const double empty = std::exp(-load);
  const double variance = std::max(0.0, empty - (1 + load) * empty * empty) / m;
  return std::min(1.0, MeanOfPower(fill, variance / (fill * fill), probes));
}

}  // namespace winnow::amq
