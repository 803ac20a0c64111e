#include "src/rocksdb/trees/family_shares.h"

#include <algorithm>
#include <cmath>

#include "src/rocksdb/trees/heat_map.h"

namespace winnow::plugin {
namespace {

// The logarithms of heats, less their mean by keys. `recent` samples in all.
std::vector<double> WishesOf(const std::vector<FamilyShares::Tree>& trees, double keys,
                             double recent) {
  std::vector<double> heats;
  double all = 0;
  for (const FamilyShares::Tree& tree : trees) {
    const double part = tree.keys / keys;
    const double samples = tree.memory->recent + FamilyShares::kPseudoCount * part;
    heats.push_back(tree.keys > 0 ? samples * std::exp2(tree.log2_reach) / tree.keys : 0);
    all += part * heats.back();
  }
  std::vector<double> wishes(trees.size(), 0);
  if (recent < FamilyShares::kMinSamples || !(all > 0)) return wishes;
  double mean = 0;
  for (size_t i = 0; i < trees.size(); ++i) {
    wishes[i] = std::log2((1 - HeatMap::kEvenShare) * heats[i] / all + HeatMap::kEvenShare);
    mean += trees[i].keys / keys * wishes[i];
  }
  for (double& wish : wishes) wish -= mean;
  return wishes;
}

}  // namespace

// What is the same for all, by halving.
double BitsOfFamily(double mean_bits, const std::vector<FamilyShare>& shares, size_t own) noexcept {
  const double fewest = std::min(kFewestBits, mean_bits);
  double keys = 0;
  double most_more = 0;
  for (const FamilyShare& share : shares) {
    keys += share.keys;
    most_more = std::max(most_more, share.more_bits);
  }
  const auto takes = [&](double same) {
    double sum = 0;
    for (const FamilyShare& share : shares) {
      sum += share.keys * std::max(same + share.more_bits, fewest);
    }
    return sum;
  };
  double low = fewest - most_more;
  double high = mean_bits;
  for (int step = 0; step < 20; ++step) {
    const double middle = (low + high) / 2;
    (takes(middle) > mean_bits * keys ? high : low) = middle;
  }
  return std::max(low + shares[own].more_bits, fewest);
}

std::vector<FamilyShare> FamilyShares::Update(const std::vector<Tree>& trees) {
  double keys = 0;
  double added = 0;
  for (const Tree& tree : trees) {
    keys += tree.keys;
    added += static_cast<double>(tree.samples - std::min(tree.memory->samples, tree.samples));
  }
  double recent = 0;
  for (const Tree& tree : trees) {
    Memory& memory = *tree.memory;
    // Another thread may have looked later.
    const uint64_t samples = std::max(tree.samples, memory.samples);
    memory.recent = memory.recent * std::exp2(-added / kHalfLife) +
                    static_cast<double>(samples - memory.samples);
    memory.samples = samples;
    recent += memory.recent;
  }
  if (!(keys > 0)) return {};
  const std::vector<double> wishes = WishesOf(trees, keys, recent);
  SetWhatLasts(trees, wishes, keys);
  if (trees.size() < 2 || recent < kMinSamples) return {};
  const double lasts = std::clamp((together_ + kGuess) / (then_ + kGuess), 0.0, 1.0);
  std::vector<FamilyShare> shares;
  for (size_t i = 0; i < trees.size(); ++i) {
    shares.push_back({trees[i].family, trees[i].keys, lasts * wishes[i]});
  }
  return shares;
}

void FamilyShares::SetWhatLasts(const std::vector<Tree>& trees, const std::vector<double>& wishes,
                                double keys) {
  double written = 0;
  double together = 0;
  double then = 0;
  for (size_t i = 0; i < trees.size(); ++i) {
    Memory& memory = *trees[i].memory;
    const double more = std::max(trees[i].written - memory.written, 0.0);
    written += more;
    together += trees[i].keys / keys * wishes[i] * memory.then;
    then += trees[i].keys / keys * memory.then_squared;
    const double part = trees[i].keys > 0 ? std::min(more / trees[i].keys, 1.0) : 0;
    memory.then += part * (wishes[i] - memory.then);
    memory.then_squared += part * (wishes[i] * wishes[i] - memory.then_squared);
    memory.written = std::max(memory.written, trees[i].written);
  }
  const double times = written / keys;
  const double fades = std::exp2(-times / kWritesHalfLife);
  together_ = fades * together_ + times * together;
  then_ = fades * then_ + times * then;
}

}  // namespace winnow::plugin
