#include "src/core/sizing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/simd/kernels.h"

namespace winnow::core {
namespace {

constexpr unsigned kBloomWords = 16;  // words of a Bloom block
constexpr unsigned kBloomWordBits = 32;
constexpr double kBlockBits = kBloomWords * kBloomWordBits;

// Upper limits of bits per key for 1, 2, 3 … probes, from tune_bloom of Winnow 1.2.
constexpr double kProbeLimits[] = {2.0820,  3.5901,  5.1224,  6.7141,  8.3920,  10.1836, 12.1189,
                                   14.2321, 16.5629, 19.1576, 22.0716, 25.3710, 29.1357};

constexpr double Choose(unsigned n, unsigned k) noexcept {
  if (k > n) return 0;
  double ways = 1;
  for (unsigned i = 1; i <= k; ++i) ways = ways * (n - k + i) / i;
  return ways;
}

// Returns the probability that a key with `probes` random words leaves one given bit in each of s
// given words unset.
constexpr double LeavesAlone(unsigned probes, unsigned s) noexcept {
  double probability = 0;
  double alone = 1;  // ((kBloomWordBits - 1) / kBloomWordBits)^shared
  for (unsigned shared = 0; shared <= s && shared <= probes; ++shared) {
    probability += Choose(s, shared) * Choose(kBloomWords - s, probes - shared) * alone;
    alone *= (kBloomWordBits - 1.0) / kBloomWordBits;
  }
  return probability / Choose(kBloomWords, probes);
}

// Terms of the sum, computed at compile time, since sizes are estimated often.
struct SumTerms {
  double coefficients[simd::kBloomMaxProbes + 1][simd::kBloomMaxProbes + 1] = {};
  double alone[simd::kBloomMaxProbes + 1][simd::kBloomMaxProbes + 1] = {};

  constexpr SumTerms() noexcept {
    for (unsigned probes = 1; probes <= simd::kBloomMaxProbes; ++probes) {
      double sign = 1;
      for (unsigned s = 0; s <= probes; ++s, sign = -sign) {
        coefficients[probes][s] = sign * Choose(probes, s);
        alone[probes][s] = LeavesAlone(probes, s);
      }
    }
  }
};
constexpr SumTerms kTerms;

// Returns the sum described at BloomRate. untouched(q) is the probability that all keys of a block
// leave a set of bits unset that one key leaves unset with probability q.
template <typename Untouched>
double SumOverWords(unsigned probes, Untouched untouched) noexcept {
  double rate = 0;
  for (unsigned s = 0; s <= probes; ++s) {
    rate += kTerms.coefficients[probes][s] * untouched(kTerms.alone[probes][s]);
  }
  return std::clamp(rate, 0.0, 1.0);
}

// Slots per thousand keys of the first and of later layers. From tune_ribbon of Winnow 1.2: with
// fewer than 960 slots, the first layer saves no more space and costs steps. In later layers, 1000
// instead of 960 slots add 0.03% to the filter (tune_sizes) and save a quarter of the steps of
// walks that can't be interleaved.
constexpr uint64_t kFirstLayerSlots = 960;
constexpr uint64_t kLaterLayerSlots = 1000;

uint64_t ShardSlots(uint64_t n, unsigned layer, unsigned shard_bits) noexcept {
  return (n * (layer == 0 ? kFirstLayerSlots : kLaterLayerSlots) / 1000) >> shard_bits;
}

// Slots of the block behind a sub-shard's last bucket that take keys.
constexpr uint64_t kSpareSlots = 24;

// Returns the share of n keys that a layer of this shape bumps: all keys without a slot, and some
// more. A hyperbola through that of tune_ribbon: 0.045 at 0.96 slots per key, 0.015 at 1.
// With few keys, rounding to whole buckets may change the number of slots.
double BumpedShare(uint64_t n, const BumpedShape& shape) noexcept {
  constexpr double kBumpedAtOne = 0.015;
  const uint64_t slots = (shape.buckets * uint64_t{simd::kRibbonBucketSlots} + kSpareSlots)
                         << shape.shard_bits;
  const double half_excess = (1 - static_cast<double>(slots) / static_cast<double>(n)) / 2;
  return half_excess + std::hypot(half_excess, kBumpedAtOne);
}

// Number of keys per free slot of a Ribbon without bumping: with fewer free slots, half of the
// Ribbons need one more block (tune_sizes of 1.2).
constexpr uint64_t kSmallKeysForAFreeSlot = 48;

// Layers of a Ribbon; only the bits of a list depend on the rate.
struct RibbonLayers {
  LayerEntry layers[kMaxLayersBuilt];
  unsigned count = 0;
};

RibbonLayers RibbonLayersFor(uint64_t n) noexcept {
  RibbonLayers ribbon;
  while (ribbon.count < kMaxLayersBuilt) {
    LayerEntry& entry = ribbon.layers[ribbon.count];
    double bumped_share = 0;
    if (n >= kMinBumpedKeys) {
      const BumpedShape shape = ShapeForKeys(n, ribbon.count);
      bumped_share = BumpedShare(n, shape);
      entry = {LayerType::kBumped, static_cast<uint8_t>(shape.shard_bits), shape.buckets};
    } else if (n >= kMinSmallKeys) {
      entry = {LayerType::kSmall, 0,
               static_cast<uint32_t>((n + n / kSmallKeysForAFreeSlot) / 64 + 1)};
    } else if (n > 0) {
      entry = {LayerType::kList, 0, static_cast<uint32_t>(n)};
    }
    ++ribbon.count;
    if (entry.type != LayerType::kBumped) break;
    n = static_cast<uint64_t>(std::lround(static_cast<double>(n) * bumped_share));
  }
  return ribbon;
}

uint64_t RibbonBytes(const RibbonLayers& ribbon, Columns columns, double rate) noexcept {
  uint64_t bytes = kTailBytes;
  for (unsigned layer = 0; layer < ribbon.count; ++layer) {
    LayerEntry entry = ribbon.layers[layer];
    if (entry.type == LayerType::kList) {
      entry.parameter = static_cast<uint8_t>(ListBits(entry.count, rate) - 1);
    }
    bytes += kEntryBytes + LayerBytes(entry, columns);
  }
  return bytes;
}

uint64_t RibbonBytes(uint64_t n, Columns columns, double rate) noexcept {
  return RibbonBytes(RibbonLayersFor(n), columns, rate);
}

// Returns the mean size of Bloom filters of about n keys, where rounding up to whole blocks adds
// half a block. With the size for exactly n keys, the minimum worthwhile number would be a matter
// of chance.
double MeanBloomBytes(uint64_t n, double bits_per_key) noexcept {
  return kTailBytes + kEntryBytes + static_cast<double>(n) * bits_per_key / 8 +
         simd::kBloomBlockBytes / 2.0;
}

// Maximum number of bytes by which a Ribbon of more hashes may be smaller, since a layer gets more
// slots and the next layer, with fewer keys, has another type. The maximum found in 90 million
// estimates is 56 at one column and 139 at 16.
constexpr uint64_t kMaxDipBytes = 64;
constexpr uint64_t kMaxDipBytesOfAColumn = 8;

// Binary search for the last number in [low, high] that fits; `low` must fit. If numbers fit
// irregularly, returns one that fits and whose successor does not.
template <typename Fits>
uint64_t LastThatFits(uint64_t low, uint64_t high, Fits fits) noexcept {
  while (low < high) {
    const uint64_t middle = low + (high - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

double EqualBitsRate(uint64_t n, uint32_t blocks) noexcept {
  return std::min(1.0, std::ldexp(static_cast<double>(n) / blocks, -32));
}

double BloomRate(uint64_t n, uint32_t blocks, unsigned probes) noexcept {
  const double of_words = SumOverWords(probes, [=](double q) {
    return std::exp(static_cast<double>(n) * std::log1p(-(1 - q) / blocks));
  });
  return std::max(of_words, EqualBitsRate(n, blocks));
}

double BloomRateAtBits(double bits_per_key, unsigned probes) noexcept {
  const double load = kBlockBits / bits_per_key;
  return SumOverWords(probes, [=](double q) { return std::exp(-load * (1 - q)); });
}

unsigned BloomProbes(double bits_per_key) noexcept {
  unsigned probes = 1;
  for (const double limit : kProbeLimits) {
    if (bits_per_key < limit) break;
    ++probes;
  }
  return probes;
}

uint32_t BloomBlocks(uint64_t n, double bits_per_key) noexcept {
  const double blocks = std::ceil(static_cast<double>(n) * bits_per_key / kBlockBits);
  return static_cast<uint32_t>(std::clamp(blocks, 1.0, static_cast<double>(UINT32_MAX)));
}

double RateForBits(double bits_per_key) noexcept {
  return BloomRateAtBits(bits_per_key, BloomProbes(bits_per_key));
}

double RateBits(double bits_per_key) noexcept { return -std::log2(RateForBits(bits_per_key)); }

double BitsForRate(double rate) noexcept {
  double low = kBitsPerKeyOption.least;
  double high = kBitsPerKeyOption.most;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (RateForBits(middle) > rate ? low : high) = middle;
  }
  return high;
}

Columns RibbonColumns(double rate) noexcept {
  Columns columns{1, 0};
  double whole_rate = 0.5;
  while (columns.whole < simd::kRibbonMaxColumns && whole_rate / 2 >= rate) {
    whole_rate /= 2;
    ++columns.whole;
  }
  if (columns.whole == simd::kRibbonMaxColumns) return columns;
  // rate = (1 - f) * whole_rate + f * whole_rate / 2
  const double fraction = 2 * (1 - rate / whole_rate);
  columns.fraction = static_cast<unsigned>(std::lround(std::max(0.0, fraction) * 4096));
  if (columns.fraction >= 4096) columns = {columns.whole + 1, 0};
  return columns;
}

double ColumnsRate(Columns columns) noexcept {
  return std::ldexp(1 - columns.fraction / 8192.0, -static_cast<int>(columns.whole));
}

BumpedShape ShapeForKeys(uint64_t n, unsigned layer) noexcept {
  BumpedShape shape;
  while ((1u << shape.shard_bits) < kShardsAtOnce &&
         ShardSlots(n, layer, shape.shard_bits + 1) >= kMinShardSlots) {
    ++shape.shard_bits;
  }
  while (ShardSlots(n, layer, shape.shard_bits) > kMaxShardSlots) ++shape.shard_bits;
  const uint64_t slots = ShardSlots(n, layer, shape.shard_bits);
  const uint64_t half = simd::kRibbonBucketSlots / 2;
  const uint64_t buckets =
      slots > kSpareSlots ? (slots - kSpareSlots + half) / simd::kRibbonBucketSlots : 0;
  shape.buckets = static_cast<uint32_t>(std::max<uint64_t>(1, buckets));
  return shape;
}

unsigned ListBits(uint64_t n, double rate) noexcept {
  unsigned bits = 8;
  while (bits < 32 && static_cast<double>(n) > std::ldexp(rate, static_cast<int>(bits))) ++bits;
  return bits;
}

namespace {

// Step and end of the search. Ribbons of few keys grow by a block of slots per 64 keys, so three
// consecutive sizes represent those in between. Beyond the end, the share hardly changes.
constexpr uint64_t kWorthStep = 32;
constexpr uint64_t kMaxWorth = 8192;

// Ribbons of 0, kWorthStep, 2 kWorthStep … keys.
struct SmallRibbons {
  RibbonLayers of[kMaxWorth / kWorthStep + 2];

  SmallRibbons() noexcept {
    uint64_t n = 0;
    for (RibbonLayers& ribbon : of) {
      ribbon = RibbonLayersFor(n);
      n += kWorthStep;
    }
  }
};

}  // namespace

uint64_t KeysWorthARibbon(double bits_per_key) noexcept {
  static const SmallRibbons ribbons;
  const double rate = RateForBits(bits_per_key);
  const Columns columns = RibbonColumns(rate);
  const auto ribbon = [&](uint64_t n) {
    return static_cast<double>(RibbonBytes(ribbons.of[n / kWorthStep], columns, rate));
  };
  double below = ribbon(kMaxWorth - kWorthStep);
  double at = ribbon(kMaxWorth);
  double above = ribbon(kMaxWorth + kWorthStep);
  uint64_t worth = std::numeric_limits<uint64_t>::max();
  for (uint64_t n = kMaxWorth; n > kWorthStep; n -= kWorthStep) {
    const double mean = (below + at + above) / 3;
    if (mean > (1 - kWorthwhileSaving) * MeanBloomBytes(n, bits_per_key)) break;
    worth = n;
    above = at;
    at = below;
    below = ribbon(n - 2 * kWorthStep);
  }
  return worth;
}

// Caches one answer per thread: the search takes some 3 us, a builder of few keys less than one.
// More answers would not fit into the small thread-local storage.
uint64_t RibbonMinKeys(const FilterOptions& options) noexcept {
  if (options.ribbon_min_keys != kRibbonWhereItSaves) return options.ribbon_min_keys;
  thread_local double last_bits = 0;
  thread_local uint64_t last_keys = 0;
  if (last_bits != options.bits_per_key) {
    last_keys = KeysWorthARibbon(options.bits_per_key);
    last_bits = options.bits_per_key;
  }
  return last_keys;
}

uint64_t EstimateRibbonBytes(uint64_t n, double rate) noexcept {
  return RibbonBytes(n, RibbonColumns(rate), rate);
}

FilterPlan PlanFilter(uint64_t n, const FilterOptions& options) noexcept {
  FilterPlan plan;
  plan.target_rate = RateForBits(options.bits_per_key);
  if (n == 0) return plan;
  const bool is_short_lived = options.level >= 0 && options.level < options.bloom_before_level;
  const bool is_small = n < RibbonMinKeys(options);
  plan.kind =
      options.kind.value_or(is_short_lived || is_small ? FilterKind::kBloom : FilterKind::kRibbon);
  if (n > kMaxRibbonKeys) plan.kind = FilterKind::kBloom;
  switch (plan.kind) {
    case FilterKind::kEmpty:
      break;
    case FilterKind::kBloom:
      plan.blocks = BloomBlocks(n, options.bits_per_key);
      plan.probes = BloomProbes(plan.blocks * kBlockBits / static_cast<double>(n));
      break;
    case FilterKind::kRibbon:
      plan.columns = RibbonColumns(plan.target_rate);
      break;
  }
  return plan;
}

uint64_t EstimateBytes(uint64_t n, const FilterOptions& options) noexcept {
  const FilterPlan plan = PlanFilter(n, options);
  switch (plan.kind) {
    case FilterKind::kEmpty:
      return kTailBytes;
    case FilterKind::kBloom:
      return kTailBytes + kEntryBytes + uint64_t{plan.blocks} * simd::kBloomBlockBytes;
    case FilterKind::kRibbon:
      return RibbonBytes(n, plan.columns, plan.target_rate);
  }
  return kTailBytes;
}

uint64_t MostHashesIn(uint64_t bytes, const FilterOptions& options) noexcept {
  // Bloom up to some number, Ribbon up to another, then Bloom again. The estimate may fall at
  // either step, so the last range that has a solution has the maximum.
  const bool has_ribbons = PlanFilter(kMaxRibbonKeys, options).kind == FilterKind::kRibbon;
  uint64_t first_ribbon = 1;
  if (!has_ribbons) {
    first_ribbon = kMaxRibbonKeys + 1;
  } else if (!options.kind) {
    first_ribbon = std::clamp<uint64_t>(RibbonMinKeys(options), 1, kMaxRibbonKeys);
  }
  const auto bloom_fits = [&](uint64_t n) { return EstimateBytes(n, options) <= bytes; };
  if (bloom_fits(kMaxRibbonKeys + 1)) {
    return LastThatFits(kMaxRibbonKeys + 1, kMaxHashes, bloom_fits);
  }
  if (has_ribbons) {
    const double rate = RateForBits(options.bits_per_key);
    const Columns columns = RibbonColumns(rate);
    const auto estimate = [&](uint64_t n) { return RibbonBytes(n, columns, rate); };
    // No filter of more hashes than this fits, but some of fewer may not fit either.
    const uint64_t enough = bytes + kMaxDipBytes + columns.most() * kMaxDipBytesOfAColumn;
    if (estimate(first_ribbon) <= enough) {
      uint64_t n = LastThatFits(first_ribbon, kMaxRibbonKeys,
                                [&](uint64_t middle) { return estimate(middle) <= enough; });
      while (n >= first_ribbon && estimate(n) > bytes) --n;
      if (n >= first_ribbon && n > 0) return n;
    }
  }
  if (first_ribbon == 1 || !bloom_fits(1)) return 1;
  return LastThatFits(1, first_ribbon - 1, bloom_fits);
}

uint16_t PackRate(double rate) noexcept {
  const double bits = -std::log2(std::clamp(rate, 1e-9, 1.0));
  return static_cast<uint16_t>(std::lround(bits * 2048));
}

double UnpackRate(uint16_t packed) noexcept { return std::exp2(-packed / 2048.0); }

}  // namespace winnow::core
