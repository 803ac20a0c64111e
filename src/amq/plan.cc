#include "src/amq/plan.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace winnow::amq {
namespace {

// m = -k n / ln(1 - p^(1/k)).
double BitsForProbes(double n, double rate, unsigned probes) noexcept {
  return -n * probes / std::log1p(-std::pow(rate, 1.0 / probes));
}

}  // namespace

std::string CheckPlan(const Plan& plan) {
  std::ostringstream text;
  if (plan.capacity > kMostKeys) {
    text << "capacity is " << plan.capacity << ", but must be at most " << kMostKeys;
  } else if (!(plan.rate >= kLowestRate && plan.rate <= kHighestRate)) {  // so that NaN is outside
    text << "rate is " << plan.rate << ", but must be from " << kLowestRate << " to "
         << kHighestRate;
  }
  return text.str();
}

Plan NearestValid(const Plan& plan) noexcept {
  Plan valid = plan;
  valid.capacity = std::min(plan.capacity, kMostKeys);
  valid.rate = plan.rate >= kLowestRate ? std::min(plan.rate, kHighestRate) : kLowestRate;
  return valid;
}

double EqualHashRate(uint64_t n) noexcept { return std::ldexp(static_cast<double>(n), -64); }

BloomShape ShapeOfBloom(const Plan& plan) noexcept {
  const double n = static_cast<double>(std::max<uint64_t>(plan.capacity, 1));
  const auto fewer = std::max(1u, static_cast<unsigned>(std::log2(1 / plan.rate)));
  const double with_fewer = BitsForProbes(n, plan.rate, fewer);
  const double with_more = BitsForProbes(n, plan.rate, fewer + 1);
  BloomShape shape;
  shape.probes = with_more < with_fewer ? fewer + 1 : fewer;
  // One more than the formula, which has e^(-1/m) for 1 - 1/m.
  shape.bits = static_cast<uint64_t>(std::ceil(std::min(with_fewer, with_more))) + 1;
  return shape;
}

double ExpectedFill(uint64_t n, double m, unsigned probes) noexcept {
  return -std::expm1(static_cast<double>(n) * probes * std::log1p(-1 / m));
}

}  // namespace winnow::amq
