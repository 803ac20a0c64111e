#include "src/core/level_plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/core/options.h"
#include "src/core/sizing.h"

namespace winnow::core {
namespace {

// Number of levels of the full tree that defines the budget. Levels above have at most a thousandth
// of the keys.
constexpr size_t kLevels = 4;

// Rates are given as log2(1/rate), which is within a few percent of a Ribbon filter's bits per key.
constexpr double kMinBits = 2;   // log2(1 / kHighestPlannedRate)
constexpr double kMaxBits = 16;  // log2(1 / kLowestPlannedRate)

// Returns the bits per key of a Bloom filter for the rates 2^-0, 2^-1, ...; each halving costs more
// bits.
constexpr size_t kBloomRates = 17;
const std::array<double, kBloomRates>& BloomBits() noexcept {
  static const std::array<double, kBloomRates> bits = [] {
    std::array<double, kBloomRates> made{};
    for (size_t i = 1; i < kBloomRates; ++i) {
      made[i] = BitsForRate(std::ldexp(1.0, -static_cast<int>(i)));
    }
    return made;
  }();
  return bits;
}

double MemoryForBits(double bits, bool is_bloom) noexcept {
  if (!is_bloom) return bits;
  const double at = std::clamp(bits, 0.0, kBloomRates - 1.0);
  const auto below = std::min(static_cast<size_t>(at), kBloomRates - 2);
  const std::array<double, kBloomRates>& table = BloomBits();
  return table[below] + (at - static_cast<double>(below)) * (table[below + 1] - table[below]);
}

bool HasBloomOnly(const FilterOptions& options) noexcept {
  if (options.kind) return *options.kind == FilterKind::kBloom;
  return options.ribbon_min_keys > kMaxRibbonKeys && options.ribbon_min_keys != kRibbonWhereItSaves;
}

// Share of the ideal step between levels. The ideal step assumes that a level's files cover all
// keys and that each level has 1/size_ratio of the keys of the next one; RocksDB's levels have gaps
// where files were merged down, and its first levels are larger. From tune_levels of Winnow 1.2.
constexpr double kSteepness = 0.75;

// Additional log2(1/rate) of a level over the last one, before clamping.
struct Steps {
  double for_each_level;
  double for_the_first;  // extra step of the first level above the last: log2(1 / absent_share)

  double At(double levels_below) const noexcept {
    return levels_below <= 0
               ? 0
               : levels_below * for_each_level + std::min(1.0, levels_below) * for_the_first;
  }
};

// Returns the bits of the last level at which the full tree takes the memory of `uniform` bits.
double LastLevelBits(const Steps& steps, double ratio, double uniform, bool is_bloom) noexcept {
  const double least = std::min(uniform, kMinBits);
  std::array<double, kLevels> shares;
  double keys = 0;
  for (size_t below = 0; below < kLevels; ++below) {
    shares[below] = std::pow(ratio, -static_cast<double>(below));
    keys += shares[below];
  }
  const double budget = MemoryForBits(uniform, is_bloom) * keys;
  const auto taken = [&](double last) {
    double memory = 0;
    for (size_t below = 0; below < kLevels; ++below) {
      const double bits = last + steps.At(static_cast<double>(below));
      memory += shares[below] * MemoryForBits(std::clamp(bits, least, kMaxBits), is_bloom);
    }
    return memory;
  };
  // If the last level is at the highest rate, the levels above get the rest.
  double low = least - steps.At(kLevels - 1);
  double high = uniform;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (taken(middle) > budget ? high : low) = middle;
  }
  return low;
}

}  // namespace

double PlannedRate(const FilterOptions& options) noexcept {
  const double uniform_rate = RateForBits(options.bits_per_key);
  if (options.level_plan == LevelPlan::kUniform || options.levels_below < 0) return uniform_rate;
  double below = std::min(options.levels_below, kLevelsBelowOption.most);
  Steps steps{kSteepness * std::log2(options.level_size_ratio), 0};
  if (options.absent_share > 0) {
    steps.for_the_first = -std::log2(options.absent_share);
  } else {
    // The last level has no filters, so the level above takes its place.
    if (below == 0) return std::max(uniform_rate, kHighestPlannedRate);
    below = std::max(0.0, below - 1);
  }
  const double uniform = std::min(-std::log2(uniform_rate), kMaxBits);
  const double last =
      LastLevelBits(steps, options.level_size_ratio, uniform, HasBloomOnly(options));
  return std::exp2(-std::clamp(last + steps.At(below), std::min(uniform, kMinBits), kMaxBits));
}

FilterOptions WithoutPlan(const FilterOptions& options) noexcept {
  FilterOptions uniform = options;
  if (options.level_plan != LevelPlan::kUniform && options.levels_below >= 0) {
    uniform.bits_per_key = BitsForRate(PlannedRate(options));
  }
  uniform.level_plan = LevelPlan::kUniform;
  uniform.absent_share = 1;
  uniform.levels_below = -1;
  return uniform;
}

FilterOptions ForBuilding(const FilterOptions& options) noexcept {
  FilterOptions build = WithoutPlan(NearestValid(options));
  build.ribbon_min_keys = RibbonMinKeys(build);
  return build;
}

uint8_t PackPlan(const FilterOptions& options) noexcept {
  if (options.level_plan == LevelPlan::kUniform) return 0;
  unsigned packed = static_cast<unsigned>(options.level_plan) << 5;
  if (options.levels_below >= 0) {
    packed |= 1 + static_cast<unsigned>(
                      std::lround(2 * std::min(options.levels_below, kLevelsBelowOption.most)));
  }
  return static_cast<uint8_t>(packed);
}

LevelPlan UnpackPlan(uint8_t packed) noexcept { return static_cast<LevelPlan>(packed >> 5); }

double UnpackLevelsBelow(uint8_t packed) noexcept {
  const unsigned steps = packed & 31;
  return steps == 0 ? -1 : (steps - 1) / 2.0;
}

}  // namespace winnow::core
