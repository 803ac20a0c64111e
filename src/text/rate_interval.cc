#include "src/text/rate_interval.h"

#include <algorithm>
#include <cmath>

namespace winnow::inspect {
namespace {

constexpr double kZ = 1.959963984540054;  // 97.5th percentile of the normal distribution

// Byar's approximation: the cube root of a Poisson count is nearly normal. K. Rothman, J. Boice,
// "Epidemiologic Analysis with a Programmable Calculator", 1979.
double Byar(double count, double z) {
  return count * std::pow(1 - 1 / (9 * count) + z / (3 * std::sqrt(count)), 3);
}

}  // namespace

Interval WilsonInterval(uint64_t count, uint64_t trials) {
  if (trials == 0) return {0, 1};
  const double n = static_cast<double>(trials);
  const double share = static_cast<double>(count) / n;
  const double middle = share + kZ * kZ / (2 * n);
  const double reach = kZ * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  const double scale = 1 + kZ * kZ / n;
  return {count == 0 ? 0 : std::max(0.0, (middle - reach) / scale),
          count == trials ? 1 : std::min(1.0, (middle + reach) / scale)};
}

Interval PoissonInterval(uint64_t count, uint64_t trials) {
  if (trials == 0) return {0, 0};
  const double n = static_cast<double>(trials);
  const double events = static_cast<double>(count);
  return {count == 0 ? 0 : Byar(events, -kZ) / n, Byar(events + 1, kZ) / n};
}

std::optional<Interval> RatioInterval(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return std::nullopt;
  const double reach =
      std::exp(kZ * std::sqrt(1 / static_cast<double>(a) + 1 / static_cast<double>(b)));
  const double ratio = static_cast<double>(a) / static_cast<double>(b);
  return Interval{ratio / reach, ratio * reach};
}

}  // namespace winnow::inspect
