#include "db_bench_ext/read_amplification/keys/heat.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace winnow::bench {
namespace {

// Maximum distance by which a key may lag behind the newest key, as a share of all keys.
constexpr double kDisorder = 0.02;

constexpr uint64_t kShuffle = 7;

using HeatAt = std::function<Heat(double done, uint64_t end)>;

HeatAt Always(const std::vector<double>& shares) {
  return [shares](double, uint64_t end) { return Heat(shares, end); };
}

Heat MovingHeat(double done, uint64_t end) {
  constexpr size_t kRanges = 10;
  constexpr size_t kMoves = 6;
  const auto moves = std::min(static_cast<size_t>(done * (kMoves + 1)), kMoves);
  return Heat(HotShares(kRanges, Shuffled(kRanges, kShuffle)[moves], 0.9), end);
}

// Mixgraph heat in the first half of the writes, then flat heat, over the same ranges.
Heat ThenFlatHeat(double done, uint64_t end) {
  std::vector<double> shares = MixgraphShares();
  if (done >= 0.5) std::fill(shares.begin(), shares.end(), 1.0);
  return Heat(shares, end);
}

Heat NewestHeat(double done, uint64_t end) {
  return Heat(HotShares(10, 9, 0.8), EndInTime(done, end));
}

}  // namespace

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

double Heat::ShareBelow(uint64_t number) const {
  if (number >= end_) return 1;
  const size_t range = RangeOf(number);
  const uint64_t begin = range * width_;
  const uint64_t end = range + 1 == ends_.size() ? end_ : begin + width_;
  return ends_[range] -
         share(range) * static_cast<double>(end - number) / static_cast<double>(end - begin);
}

size_t Heat::DrawRange(Random* random) const {
  const double at = static_cast<double>((*random)() >> 11) * 0x1p-53;  // below 1, the last end
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
  // Integer shares, with the smallest share first, rounded as in db_bench.
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

uint64_t EndInTime(double done, uint64_t end) {
  return static_cast<uint64_t>((kDisorder + (1 - kDisorder) * done) * static_cast<double>(end));
}

const std::vector<HeatModel>& HeatModels() {
  static const auto* const models = new std::vector<HeatModel>{
      {"flat", "all alike", Always(FlatShares())},
      {"mixgraph", "by the heat of mixgraph's 30 key ranges", Always(MixgraphShares())},
      {"zipf", "by zipf 0.99 over 1000 ranges", Always(ZipfShares(1000, 0.99, kShuffle))},
      {"moving", "nine of ten in a tenth of the range that moves six times", MovingHeat},
      {"then_flat", "by mixgraph's heat until half is written, then all alike", ThenFlatHeat},
      {"newest", "80 % in the newest tenth", NewestHeat},
  };
  return *models;
}

std::string HeatHelp() {
  return absl::StrJoin(HeatModels(), "; ", [](std::string* out, const HeatModel& model) {
    absl::StrAppend(out, model.name, ": ", model.meaning);
  });
}

const HeatModel* FindHeatModel(const std::string& name) {
  const auto& models = HeatModels();
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const HeatModel& model) { return model.name == name; });
  return found == models.end() ? nullptr : &*found;
}

}  // namespace winnow::bench
