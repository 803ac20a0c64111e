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

// By halving. The value is mostly near the last one. So two values around that are looked at first,
// which saves many steps: a higher lambda never takes more memory.
double Log2LambdaFor(const std::vector<RatedFile>& files, const RateMemory& memory,
                     double near) noexcept {
  constexpr double kNear = 1.0 / 32;
  const auto takes_more = [&](double log2_lambda) {
    return MemoryWith(files, memory, log2_lambda) > memory.target;
  };
  const double below = near - kNear;
  const double above = near + kNear;
  const bool is_above_below = takes_more(below);
  const bool is_below_above = is_above_below && !takes_more(above);
  double low = -kMostLog2Lambda;
  double high = kMostLog2Lambda;
  for (int i = 0; i < 20; ++i) {
    const double middle = (low + high) / 2;
    const bool is_above = is_above_below && middle <= below   ? true
                          : is_below_above && middle >= above ? false
                                                              : takes_more(middle);
    (is_above ? low : high) = middle;
  }
  return high;
}

}  // namespace winnow::plugin
