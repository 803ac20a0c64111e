#include "db_bench_ext/tuning/heat.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace winnow::bench {

Heat::Heat(const std::vector<double>& shares, uint64_t end)
    : ends_(shares.size()), end_(end), width_(end / shares.size()) {
  std::partial_sum(shares.begin(), shares.end(), ends_.begin());
  const double sum = ends_.back();
  for (double& share : ends_) share /= sum;
}

double Heat::share(size_t range) const { return ends_[range] - (range > 0 ? ends_[range - 1] : 0); }

size_t Heat::RangeOf(uint64_t number) const {
  return std::min(static_cast<size_t>(number / width_), ends_.size() - 1);
}

size_t Heat::DrawRange(Random* random) const {
  const double at = static_cast<double>((*random)() >> 11) * 0x1p-53;  // below 1, which ends are
  return static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), at) - ends_.begin());
}

uint64_t Heat::DrawIn(size_t range, Random* random) const {
  const uint64_t begin = range * width_;
  const uint64_t end = range + 1 == ends_.size() ? end_ : begin + width_;
  return begin + RandomBelow(random, end - begin);
}

std::vector<size_t> Shuffled(size_t n, uint64_t seed) {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  Random random(seed);
  for (size_t i = n; i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<size_t>(RandomBelow(&random, i))]);
  }
  return order;
}

std::vector<double> FlatShares() { return {1}; }

std::vector<double> MixgraphShares() {
  constexpr int kRanges = 30;
  constexpr double kA = 14.18;
  constexpr double kB = -2.917;
  constexpr double kC = 0.0164;
  constexpr double kD = -0.08082;
  // Whole numbers, of which the smallest share has the first: db_bench rounds so.
  std::vector<double> shares;
  double scale = 0;
  for (int i = kRanges; i >= 1; --i) {
    const double share = kA * std::exp(kB * i) + kC * std::exp(kD * i);
    if (scale == 0) scale = std::floor(1 / share) + 1;
    shares.push_back(std::floor(scale * share));
  }
  std::mt19937_64 random(static_cast<uint64_t>(std::accumulate(shares.begin(), shares.end(), 0.0)));
  for (double& share : shares) std::swap(share, shares[random() % kRanges]);
  return shares;
}

std::vector<double> ZipfShares(size_t ranges, double exponent, uint64_t seed) {
  const std::vector<size_t> places = Shuffled(ranges, seed);
  std::vector<double> shares(ranges);
  for (size_t i = 0; i < ranges; ++i) {
    shares[places[i]] = std::pow(static_cast<double>(i + 1), -exponent);
  }
  return shares;
}

std::vector<double> HotShares(size_t ranges, size_t hot, double share) {
  std::vector<double> shares(ranges, (1 - share) / static_cast<double>(ranges - 1));
  shares[hot] = share;
  return shares;
}

}  // namespace winnow::bench
