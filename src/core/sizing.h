// Sizes, false-positive rates and choices of filters, as pure functions. Rates are 0 to 1.

#ifndef WINNOW_SRC_CORE_SIZING_H_
#define WINNOW_SRC_CORE_SIZING_H_

#include <cstddef>
#include <cstdint>

#include "src/core/format.h"
#include "winnow/options.h"

namespace winnow::core {

// ---- Blocked Bloom

// Returns the false-positive rate of `blocks` blocks that hold n keys with `probes` bits each.
// Exact if the patterns of words are random and independent: with q(s) the probability that a key
// leaves s given words of a query alone, inclusion-exclusion over the query's words gives
//     sum over s of (-1)^s C(k, s) (1 - (1 - q(s)) / blocks)^n.
// At least EqualBitsRate: for few keys the sum is less, and common words of the patterns matter.
double BloomRate(uint64_t n, uint32_t blocks, unsigned probes) noexcept;

// Returns the share of absent keys that have the same bits as one of n keys: within a block, these
// depend on only 32 bits of the hash (src/formulas/bloom_layer.h). No filter has a lower rate.
double EqualBitsRate(uint64_t n, uint32_t blocks) noexcept;

// Returns BloomRate for very many keys at this many bits per key, where the load of a block is
// Poisson.
double BloomRateAtBits(double bits_per_key, unsigned probes) noexcept;

// Returns the number of probes with the lowest rate at this many bits per key.
unsigned BloomProbes(double bits_per_key) noexcept;

// Returns the number of blocks for n keys, at least 1, rounded up so that the rate is at most the
// one asked for.
uint32_t BloomBlocks(uint64_t n, double bits_per_key) noexcept;

// Returns the false-positive rate that FilterOptions::bits_per_key means.
double RateForBits(double bits_per_key) noexcept;

// Inverse of RateForBits; clamped to the range of bits_per_key.
double BitsForRate(double rate) noexcept;

// Converts bits_per_key to log2(1/rate), the bits that files share.
double RateBits(double bits_per_key) noexcept;

// ---- Ribbon

// Returns the columns with this mean rate, clamped to 2^-16 to 2^-1. Blocks with one more column
// have half the rate of the others; rates are averaged, not bits.
Columns RibbonColumns(double rate) noexcept;
double ColumnsRate(Columns columns) noexcept;

// Shape of a bumped layer for n keys. `layer` counts from 0.
struct BumpedShape {
  unsigned shard_bits = 0;
  uint32_t buckets = 0;  // buckets per sub-shard
};
BumpedShape ShapeForKeys(uint64_t n, unsigned layer) noexcept;

// Range of a sub-shard's slots: enough to be worth a sub-shard, and few enough for a table of rows
// that stays in the cache. From tune_ribbon of Winnow 1.2 (commit 380b00ab).
inline constexpr uint64_t kMinShardSlots = 8192;
inline constexpr uint64_t kMaxShardSlots = 32768;
inline constexpr unsigned kShardsAtOnce = 4;  // sub-shards that are built in parallel (interleaved)

// Minimum numbers of keys of a bumped layer and of a Ribbon without bumping, from tune_sizes of
// Winnow 1.2: a Ribbon without bumping takes fewer bits at its rate for up to about 600 keys, a
// list of fingerprints for fewer than 50 (they share a fixed cost). Fewer keys than kMinBumpedKeys
// make a last layer: a Ribbon without bumping or, with fewer than kMinSmallKeys, a list of
// fingerprints.
inline constexpr uint64_t kMinBumpedKeys = 600;
inline constexpr uint64_t kMinSmallKeys = 50;

// Returns the number of bits of a fingerprint in a list of n.
unsigned ListBits(uint64_t n, double rate) noexcept;

// Maximum number of keys of a Ribbon filter; more keys get a Bloom filter.
inline constexpr uint64_t kMaxRibbonKeys = uint64_t{1} << 31;

// ---- What to build

// Minimum saving of a Ribbon filter, as a share of a Bloom filter's bytes, that is worth slower
// builds and lookups. A large Ribbon saves 0.31 at 10 bits per key. One of a few hundred keys saves
// less, but there Winnow's Bloom filters take more than RocksDB's, whose tail is shorter, and the
// other blocks of the file or partition cost far more than the filter (small-filters.md).
inline constexpr double kWorthwhileSaving = 0.1;

// Returns the minimum number of keys with that saving, the meaning of kRibbonWhereItSaves.
// UINT64_MAX if there is none, as at 1 bit per key.
uint64_t KeysWorthARibbon(double bits_per_key) noexcept;

// Returns the ribbon_min_keys of the options as a number of keys.
uint64_t RibbonMinKeys(const FilterOptions& options) noexcept;

// Returns the expected size in bytes of a Ribbon filter of n keys with this rate, or the nearest
// possible one, including all overhead, for comparison with a Bloom filter.
uint64_t EstimateRibbonBytes(uint64_t n, double rate) noexcept;

// Plan of a filter, for options that ForBuilding returned (level_plan.h).
struct FilterPlan {
  FilterKind kind = FilterKind::kEmpty;
  double target_rate = 1;
  uint32_t blocks = 0;  // Bloom
  unsigned probes = 0;  // Bloom
  Columns columns;      // Ribbon
};
FilterPlan PlanFilter(uint64_t n, const FilterOptions& options) noexcept;

// Returns the size of the whole block in bytes: exact for Bloom, expected for Ribbon.
uint64_t EstimateBytes(uint64_t n, const FilterOptions& options) noexcept;

// Returns the largest number of hashes for which EstimateBytes is at most `bytes`: at least 1, even
// if that takes more, and at most the number that a filter can record. The estimate for Ribbon is
// not monotonic in n, so up to some hundred numbers are tried. `options` are those of ForBuilding.
uint64_t MostHashesIn(uint64_t bytes, const FilterOptions& options) noexcept;

// log2(1/rate) in the encoding of the tail, and the inverse.
uint16_t PackRate(double rate) noexcept;
double UnpackRate(uint16_t packed) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_SIZING_H_
