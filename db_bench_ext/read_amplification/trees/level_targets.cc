#include "db_bench_ext/read_amplification/trees/level_targets.h"

#include <algorithm>

namespace winnow::bench {
namespace {

uint64_t Multiply(uint64_t keys, double multiplier) {
  const double product = static_cast<double>(keys) * multiplier;
  constexpr double kLargest = 9e18;
  return product >= kLargest ? kNoLimit : static_cast<uint64_t>(product);
}

uint64_t Divide(uint64_t keys, double multiplier) {
  return static_cast<uint64_t>(static_cast<double>(keys) / multiplier);
}

LevelSizes StaticSizes(const LevelTargets& targets, size_t levels) {
  LevelSizes sizes;
  sizes.most_keys.assign(levels, kNoLimit);
  uint64_t most = targets.base_keys;
  for (size_t level = 1; level + 1 < levels; ++level) {
    sizes.most_keys[level] = most;
    most = Multiply(most, targets.multiplier);
  }
  return sizes;
}

// Base level and its size, given the first level with keys and the number of keys in the largest
// level.
struct Base {
  size_t level;
  uint64_t keys;
};

Base FindBase(const LevelTargets& targets, size_t last, size_t first_in_use, uint64_t largest) {
  uint64_t keys = largest;
  for (size_t level = last; level > first_in_use; --level) keys = Divide(keys, targets.multiplier);
  // More levels are in use than needed: they stay, with the minimum size.
  const uint64_t least = Divide(targets.base_keys, targets.multiplier);
  if (keys <= least) return {first_in_use, least + 1};
  size_t level = first_in_use;
  while (level > 1 && keys > targets.base_keys) {
    --level;
    keys = Divide(keys, targets.multiplier);
  }
  return {level, std::min(keys, targets.base_keys)};
}

LevelSizes DynamicSizes(const LevelTargets& targets, const std::vector<uint64_t>& keys) {
  const size_t last = keys.size() - 1;
  LevelSizes sizes;
  sizes.most_keys.assign(keys.size(), kNoLimit);
  sizes.base_level = last;
  const auto in_use = std::find_if(keys.begin() + 1, keys.end(), [](uint64_t n) { return n > 0; });
  if (in_use == keys.end()) return sizes;

  const Base base = FindBase(targets, last, static_cast<size_t>(in_use - keys.begin()),
                             *std::max_element(keys.begin() + 1, keys.end()));
  sizes.base_level = base.level;
  uint64_t most = base.keys;
  for (size_t level = base.level; level < last; ++level) {
    sizes.most_keys[level] = std::max(most, targets.base_keys);
    most = Multiply(most, targets.multiplier);
  }
  return sizes;
}

}  // namespace

LevelSizes SizesOfLevels(const LevelTargets& targets, const std::vector<uint64_t>& keys) {
  if (keys.size() < 2) return StaticSizes(targets, keys.size());
  return targets.dynamic ? DynamicSizes(targets, keys) : StaticSizes(targets, keys.size());
}

}  // namespace winnow::bench
