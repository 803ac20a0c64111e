// What to build: the options of one filter.

#ifndef WINNOW_OPTIONS_H_
#define WINNOW_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "winnow/version.h"

namespace winnow {

// The kinds of filter. The numbers are those of the serialized form.
enum class FilterKind : uint8_t {
  kEmpty = 0,   // no keys were added: contains nothing. Results from a build, can't be asked for.
  kBloom = 1,   // cache-blocked Bloom: fastest to build and to query
  kRibbon = 2,  // bumped Ribbon: about 0.68 of Bloom's bytes for the same rate
};

// "empty", "bloom", "ribbon"; "unknown" for any other number. The string is static.
WINNOW_EXPORT std::string_view ToString(FilterKind kind) noexcept;

// Whether small levels of a tree get more accurate filters than its last one, which has most keys:
// the same memory then reads less. src/core/level_plan.h has the formula, and where it is from.
enum class LevelPlan : uint8_t {
  kUniform = 0,  // "uniform": every file has the rate that bits_per_key means
  kByLevel = 1,  // "by_level": by levels_below
  kAuto = 2,     // "auto": the same with the caller's care that levels_below is the least that the
                 // file will ever have, as files that are moved down unmerged keep their filters
};

// "uniform", "by_level", "auto"; "unknown" for any other number. The string is static.
WINNOW_EXPORT std::string_view ToString(LevelPlan plan) noexcept;

// A ribbon_min_keys that is not a number of keys: a Ribbon filter from as many keys on as it saves
// a tenth of the bytes that a Bloom filter of the same rate takes, on an average over sizes nearby.
// That depends on bits_per_key and on nothing else (at 10: 64 keys, docs/results/small-filters.md).
// "auto" in text, where this number is refused; C++ programs that print the option may see it.
inline constexpr uint64_t kRibbonWhereItSaves = UINT64_MAX - 1;

struct FilterOptions {
  // How accurate, as the bits a key that our blocked Bloom filter with very many keys needs for the
  // same false-positive rate: 10 means 0.96 %, whatever kind is built. 1 to 32; fractions count.
  // A Ribbon filter's rate is at best 2^-16 (from 28.4 on) and at worst 2^-1 (up to 1.4).
  double bits_per_key = 10;

  // The kind to build. Unset: Ribbon for ribbon_min_keys hashes and more, else Bloom.
  std::optional<FilterKind> kind;

  // Fewer hashes than this make a Bloom filter when the kind is not set.
  uint64_t ribbon_min_keys = kRibbonWhereItSaves;

  // The level of the tree that the file is written to; recorded in the filter. -1: unknown.
  // -1 to 127.
  int level = -1;

  // A known level below this one makes a Bloom filter when the kind is not set. At least -1.
  // RocksDB counts flushes as level -1 for this purpose; here the caller that knows of a flush sets
  // the kind. The default makes none by their level: files are moved down as they are where nothing
  // overlaps them, so that what is built for a low level may stay for good.
  int bloom_before_level = -1;

  // With a plan other than kUniform, bits_per_key is a budget: a full tree, each of whose levels
  // has level_size_ratio times the keys of the one above, takes the memory that it would take if
  // all its files had bits_per_key, and a lookup reads less.
  LevelPlan level_plan = LevelPlan::kUniform;

  // Keys of a level to those of the one above it, 2 to 100; max_bytes_for_level_multiplier of
  // RocksDB.
  double level_size_ratio = 10;

  // The share of lookups whose key is in no file, 0 to 1; 1 with kUniform. The others find their
  // key, most of them on the last level, whose filters they ask in vain: those get a rate that is
  // 1/absent_share times as high, and the levels above the memory. At 0 the last level needs no
  // filters (see NeedsFilter), and the budget is that of the others.
  double absent_share = 1;

  // How much smaller than the last level the sorted run is that the file belongs to, in steps of
  // level_size_ratio: 0 is the last level, 1 the one above it where that has its full size, and so
  // on; halves count. 0 to 14; above counts as 14, below as -1: unknown, with the rate that
  // bits_per_key means. Recorded in the filter where there is a plan. C refuses what is outside.
  double levels_below = -1;
};

// Empty if every option is in its range, else a sentence that names the option, the value and the
// range. The builder does not refuse what this refuses: it takes the nearest valid value.
WINNOW_EXPORT std::string CheckOptions(const FilterOptions& options);

// False for a file of the last level at absent_share 0: lookups find their keys in it, and a filter
// could only agree. A FilterBuilder makes one all the same, of the highest rate of a plan.
WINNOW_EXPORT bool NeedsFilter(const FilterOptions& options) noexcept;

}  // namespace winnow

#endif  // WINNOW_OPTIONS_H_
