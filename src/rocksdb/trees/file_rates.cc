#include "src/rocksdb/trees/file_rates.h"

#include <algorithm>
#include <cmath>

namespace winnow::plugin {

void RatedFile::SetReach(double lookups) noexcept {
  reaching = lookups > 0 ? lookups : 0;
  log2_reach = reaching > 0 ? std::log2(reaching / keys) : 0;
}

double RateBitsOf(const RatedFile& file, double log2_lambda, const RateMemory& memory) noexcept {
  if (!(file.reaching > 0)) return memory.uniform_bits;
  return std::clamp<double>(file.log2_reach - log2_lambda, memory.least_bits, memory.most_bits);
}

double MemoryWith(const std::vector<RatedFile>& files, const RateMemory& memory,
                  double log2_lambda) noexcept {
  const double to_again = memory.built_to_expected / memory.uniform_bits;
  double keys = 0;
  double taken = 0;
  for (const RatedFile& file : files) {
    const double again = RateBitsOf(file, log2_lambda, memory) * to_again;
    keys += file.keys;
    taken += file.keys * (file.stays * file.to_uniform + (1 - file.stays) * again);
  }
  return keys > 0 ? taken / keys : 1;
}

// Bisection. The result is mostly near the last one, where memory is almost linear in lambda. So
// two values around `near`, and two around the point where the line through them meets the target,
// are tried first, which saves most steps: a higher lambda never takes more memory.
double Log2LambdaFor(const std::vector<RatedFile>& files, const RateMemory& memory,
                     double near) noexcept {
  constexpr double kNear = 1.0 / 32;
  constexpr double kOfLine = 1.0 / (1 << 12);
  double too_low = -2 * kMostLog2Lambda;  // takes more
  double enough = 2 * kMostLog2Lambda;    // takes no more
  const auto look_at = [&](double log2_lambda) {
    const double taken = MemoryWith(files, memory, log2_lambda);
    if (taken > memory.target) {
      too_low = std::max(too_low, log2_lambda);
    } else {
      enough = std::min(enough, log2_lambda);
    }
    return taken;
  };
  const double at_first = look_at(near - kNear);
  const double at_last = look_at(near + kNear);
  if (at_first > memory.target && at_last <= memory.target) {
    const double part = (at_first - memory.target) / (at_first - at_last);
    const double on_line = near + kNear * (2 * part - 1);
    look_at(on_line - kOfLine);
    look_at(on_line + kOfLine);
  }
  double low = -kMostLog2Lambda;
  double high = kMostLog2Lambda;
  for (int i = 0; i < 20; ++i) {
    const double middle = (low + high) / 2;
    if (middle > too_low && middle < enough) look_at(middle);
    (middle <= too_low ? low : high) = middle;
  }
  return high;
}

}  // namespace winnow::plugin
