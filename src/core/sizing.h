// Sizes, rates and choices, as pure functions. Rates are shares from 0 to 1.

#ifndef WINNOW_SRC_CORE_SIZING_H_
#define WINNOW_SRC_CORE_SIZING_H_

#include <cstddef>
#include <cstdint>

#include "src/core/format.h"
#include "winnow/options.h"

namespace winnow::core {

// ---- Blocked Bloom

// The false-positive rate of `blocks` blocks that hold n keys with `probes` bits each. Exact for
// patterns of words that are random and independent: with q(s) the probability that a key leaves s
// given words of a query alone, inclusion and exclusion over the query's words give
//   sum over s of (-1)^s C(k, s) (1 - (1 - q(s)) / blocks)^n.
// At least the share below: of few keys the sum is less, and what the words have in common counts.
double BloomRate(uint64_t n, uint32_t blocks, unsigned probes) noexcept;

// The share of absent keys that have all the bits of one of n keys: in a block, those follow from
// 32 bits of the hash (src/formulas/bloom_layer.h). No filter has a lower rate.
double EqualBitsRate(uint64_t n, uint32_t blocks) noexcept;

// BloomRate for very many keys at this many bits a key: the load of a block is then Poisson.
double BloomRateAtBits(double bits_per_key, unsigned probes) noexcept;

// The number of probes with the lowest rate at this many bits a key.
unsigned BloomProbes(double bits_per_key) noexcept;

// The blocks for n keys, rounded up, so that the rate is at most the one asked for. At least 1.
uint32_t BloomBlocks(uint64_t n, double bits_per_key) noexcept;

// Returns the rate that FilterOptions::bits_per_key means.
double RateForBits(double bits_per_key) noexcept;

// The inverse, for rates from that of the most bits to that of the least, or the nearest there is.
double BitsForRate(double rate) noexcept;

// ---- Ribbon

// The columns with this mean rate, or the nearest there is, from 2^-1 to 2^-16. Blocks with one
// column more have half the rate of the others: rates average, bits don't.
Columns RibbonColumns(double rate) noexcept;
double ColumnsRate(Columns columns) noexcept;

// The shape of a bumped layer for n keys; `layer` counts from 0.
struct BumpedShape {
  unsigned shard_bits = 0;
  uint32_t buckets = 0;  // of each sub-shard
};
BumpedShape ShapeForKeys(uint64_t n, unsigned layer) noexcept;

// Bounds of a sub-shard's slots: enough to be worth one of its own, and a table of rows that stays
// in the cache. From the table that tune_ribbon prints.
inline constexpr uint64_t kMinShardSlots = 8192;
inline constexpr uint64_t kMaxShardSlots = 32768;
inline constexpr unsigned kShardsAtOnce = 4;  // sub-shards that are built side by side

// From what tune_sizes prints: a Ribbon without bumping takes fewer bits for its rate up to about
// 600 keys, a list of fingerprints fewer than that below 50 (they share a cost that neither
// avoids). Fewer keys than these make a last layer: a Ribbon without bumping, or a list of
// fingerprints.
inline constexpr uint64_t kMinBumpedKeys = 600;
inline constexpr uint64_t kMinSmallKeys = 50;

// The bits of a fingerprint in a list of n.
unsigned ListBits(uint64_t n, double rate) noexcept;

// The most keys of a Ribbon filter; more make a Bloom filter.
inline constexpr uint64_t kMaxRibbonKeys = uint64_t{1} << 31;

// ---- What to build

// Least saving of a Ribbon, as a share of a Bloom filter's bytes, that is worth a slower build and
// lookup. A large one saves 0.31 at 10 bits a key. Of few hundred keys it saves less, but there our
// Bloom filters already take more than RocksDB's, whose tail is shorter, and a file's or
// partition's other blocks cost far more than the filter (tune_sizes).
inline constexpr double kWorthwhileSaving = 0.1;

// The fewest keys from which on it saves that: what kRibbonWhereItSaves stands for. UINT64_MAX if
// it never does, as at 1 bit a key.
uint64_t KeysWorthARibbon(double bits_per_key) noexcept;

// Returns ribbon_min_keys of the options as a number of keys.
uint64_t RibbonMinKeys(const FilterOptions& options) noexcept;

// Returns the expected bytes of a Ribbon filter of n keys with this rate, or the nearest that there
// is, all bytes counted: what a Bloom filter might be instead.
uint64_t EstimateRibbonBytes(uint64_t n, double rate) noexcept;

// Plan of a filter, by options as ForBuilding gives them (level_plan.h).
struct FilterPlan {
  FilterKind kind = FilterKind::kEmpty;
  double target_rate = 1;
  uint32_t blocks = 0;  // Bloom
  unsigned probes = 0;  // Bloom
  Columns columns;      // Ribbon
};
FilterPlan PlanFilter(uint64_t n, const FilterOptions& options) noexcept;

// The size of the whole block: exact, but for Ribbon what is expected.
uint64_t EstimateBytes(uint64_t n, const FilterOptions& options) noexcept;

// The most hashes for which EstimateBytes is at most so many bytes; at least 1, even where that
// takes more, and at most what a filter can record. The estimate of Ribbons does not always grow
// with n: this looks at up to some hundred numbers. Options as ForBuilding gives them.
uint64_t MostHashesIn(uint64_t bytes, const FilterOptions& options) noexcept;

// log2(1/rate) as the tail records it, and back.
uint16_t PackRate(double rate) noexcept;
double UnpackRate(uint16_t packed) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_SIZING_H_
