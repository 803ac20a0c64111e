// Options of a filter that is to be built.

#ifndef WINNOW_OPTIONS_H_
#define WINNOW_OPTIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "winnow/version.h"

namespace winnow {

// Kinds of filters. The numbers are those of the serialized form.
enum class FilterKind : uint8_t {
  kEmpty = 0,   // no keys were added: contains nothing. Not an option of a builder.
  kBloom = 1,   // cache-blocked Bloom: fastest to build and to query
  kRibbon = 2,  // bumped Ribbon: about 0.68 times Bloom's bytes at the same rate
};

// Returns "empty", "bloom", "ribbon", or "unknown" for any other number. The string is static.
WINNOW_EXPORT std::string_view ToString(FilterKind kind) noexcept;

// Level plans: rules by which small levels of a tree get more accurate filters than the last level,
// which has most keys, so that the same memory saves more reads. src/core/level_plan.h has the
// formula and its source.
enum class LevelPlan : uint8_t {
  kUniform = 0,  // "uniform": every file has the rate of bits_per_key
  kByLevel = 1,  // "by_level": rates depend on levels_below
  kAuto = 2,     // "auto": like kByLevel; the caller ensures that levels_below is the least that
                 // the file will ever have, as files moved to another level keep their filters
  kLearned = 3,  // "learned": for RocksDB policies, kAuto since 2.0 (winnow/rocksdb_policy.h). A
                 // builder sees no lookups: CheckOptions refuses it, and a builder treats it as
                 // kAuto and records kLearned
};

// Returns "uniform", "by_level", "auto", "learned", or "unknown" for any other number. The string
// is static.
WINNOW_EXPORT std::string_view ToString(LevelPlan plan) noexcept;

// Value of ribbon_min_keys that selects Ribbon from the number of keys at which it saves a tenth of
// the bytes of a Bloom filter of the same rate, on average over similar sizes. This number depends
// only on bits_per_key (64 keys at 10, docs/results/small-filters.md). Its text is "auto"; the
// number is refused in text, but C++ programs that print the option may see it.
inline constexpr uint64_t kRibbonWhereItSaves = UINT64_MAX - 1;

// Options of a filter that is to be built. Later versions may add members (winnow/version.h).
struct FilterOptions {
  // Accuracy: the bits per key that Winnow's blocked Bloom filter with very many keys needs for the
  // same false-positive rate. 10 means 0.96%, whatever kind is built. 1 to 32; fractions are
  // allowed. A Ribbon filter's rate is at best 2^-16 (from 28.4 on) and at worst 2^-1 (up to 1.4).
  double bits_per_key = 10;

  // Kind to build. If unset, Ribbon for ribbon_min_keys hashes or more, else Bloom.
  std::optional<FilterKind> kind;

  // Fewer hashes than this make a Bloom filter, if `kind` is unset.
  uint64_t ribbon_min_keys = kRibbonWhereItSaves;

  // Level of the tree that the file is written to; recorded in the filter. -1 to 127; -1: unknown.
  int level = -1;

  // Levels below this number get a Bloom filter, if `level` is known and `kind` is unset. At least
  // -1. RocksDB counts flushes as level -1 for this option; here, a caller that knows of a flush
  // sets `kind`. The default makes no Bloom filters by level, because a file built for a low level
  // may be moved down without being rewritten.
  int bloom_before_level = -1;

  // Level plan. If not kUniform, bits_per_key is a budget: a full tree in which each level has
  // level_size_ratio times the keys of the level above uses the same memory as if all files had
  // bits_per_key, and lookups read less.
  LevelPlan level_plan = LevelPlan::kUniform;

  // Ratio of the keys of a level to those of the level above, 2 to 100; RocksDB's
  // max_bytes_for_level_multiplier.
  double level_size_ratio = 10;

  // Share of lookups whose key is in no file, 0 to 1; 1 with kUniform. Other lookups find their
  // key, mostly on the last level, where filters can't save a read: files there get a rate that is
  // 1/absent_share times as high, and the levels above get the memory. At 0, the last level needs
  // no filters (see NeedsFilter), and the budget is that of the other levels.
  double absent_share = 1;

  // Size of the file's sorted run relative to the last level, in steps of level_size_ratio: 0 is
  // the last level, 1 the level above if full, and so on; fractions are allowed. 0 to 14; larger
  // values count as 14, negative ones as -1: unknown, with the rate of bits_per_key. Recorded in
  // the filter if there is a plan. The C API refuses values out of range.
  double levels_below = -1;
};

// Implementations of the functions of the same name below.
WINNOW_EXPORT std::string CheckOptions(const FilterOptions* options, size_t size);
WINNOW_EXPORT bool NeedsFilter(const FilterOptions* options, size_t size) noexcept;

// Returns an empty string if every option is valid, else a sentence that names the option, its
// value and its range. A FilterBuilder replaces invalid values by the nearest valid ones instead.
// Also refuses options of a program that was compiled with more options than the loaded library
// has; a builder ignores these.
WINNOW_HIDDEN inline std::string CheckOptions(const FilterOptions& options) {
  return CheckOptions(&options, sizeof options);
}

// Returns false for a file of the last level at absent_share 0: lookups find their keys in that
// file, so that a filter can't save a read. A FilterBuilder builds a filter nevertheless, with the
// highest rate of a plan.
WINNOW_HIDDEN inline bool NeedsFilter(const FilterOptions& options) noexcept {
  return NeedsFilter(&options, sizeof options);
}

// ---- Options by name
//
// The only table of names and ranges, for all code that checks, reads and shows options: the
// functions above, the C API, options strings of RocksDB (winnow/rocksdb_policy.h has the policy's
// options), the tool and the tests of the documentation. Defaults are those of the fields.

// Unit of an option that is a size. Its text may have a suffix, as in "256MiB".
inline constexpr std::string_view kBytes = "bytes";

// An option whose value is a number, written in decimal.
template <typename Value>
struct NumberOption {
  const char* name;
  Value least;
  Value most;

  // Value that "auto" in text stands for; the number itself is refused in text.
  std::optional<Value> automatic = std::nullopt;

  // Unit of the number, such as "keys"; may be empty.
  std::string_view unit = "";

  // Value outside the range that means "unknown". C++ may pass any number, which is replaced by the
  // nearest; text may not.
  std::optional<Value> unknown = std::nullopt;

  // Returns false for NaN.
  constexpr bool IsInRange(Value value) const noexcept { return value >= least && value <= most; }

  // Returns the nearest value in the range, or NaN for NaN.
  constexpr Value Nearest(Value value) const noexcept {
    return value < least ? least : value > most ? most : value;
  }
};

// An option whose values are named.
template <typename Value, size_t kCount>
struct NamedOption {
  const char* name;
  std::array<std::pair<std::string_view, Value>, kCount> values;

  // Fallback for an unknown name if a filter must be built nevertheless.
  Value if_unknown;
};

inline constexpr NumberOption<double> kBitsPerKeyOption{"bits_per_key", 1, 32};
inline constexpr NamedOption<std::optional<FilterKind>, 3> kKindOption{
    "kind",
    {{{"bloom", FilterKind::kBloom}, {"ribbon", FilterKind::kRibbon}, {"auto", std::nullopt}}},
    std::nullopt};
inline constexpr NumberOption<uint64_t> kRibbonMinKeysOption{
    "ribbon_min_keys", 0, std::numeric_limits<uint64_t>::max(), kRibbonWhereItSaves, "keys"};
inline constexpr NumberOption<int> kLevelOption{"level", -1, 127};
inline constexpr NumberOption<int> kBloomBeforeLevelOption{"bloom_before_level", -1,
                                                           std::numeric_limits<int>::max()};
// "learned" is for RocksDB policies only.
inline constexpr NamedOption<LevelPlan, 4> kLevelPlanOption{"level_plan",
                                                            {{{"uniform", LevelPlan::kUniform},
                                                              {"by_level", LevelPlan::kByLevel},
                                                              {"auto", LevelPlan::kAuto},
                                                              {"learned", LevelPlan::kLearned}}},
                                                            LevelPlan::kUniform};
inline constexpr NumberOption<double> kLevelSizeRatioOption{"level_size_ratio", 2, 100};
inline constexpr NumberOption<double> kAbsentShareOption{"absent_share", 0, 1};
inline constexpr NumberOption<double> kLevelsBelowOption{"levels_below", 0,  14,
                                                         std::nullopt,   "", -1};

// Calls visit(option, member) with each option and the pointer to its field.
template <typename Visit>
constexpr void ForEachFilterOption(const Visit& visit) {
  visit(kBitsPerKeyOption, &FilterOptions::bits_per_key);
  visit(kKindOption, &FilterOptions::kind);
  visit(kRibbonMinKeysOption, &FilterOptions::ribbon_min_keys);
  visit(kLevelOption, &FilterOptions::level);
  visit(kBloomBeforeLevelOption, &FilterOptions::bloom_before_level);
  visit(kLevelPlanOption, &FilterOptions::level_plan);
  visit(kLevelSizeRatioOption, &FilterOptions::level_size_ratio);
  visit(kAbsentShareOption, &FilterOptions::absent_share);
  visit(kLevelsBelowOption, &FilterOptions::levels_below);
}

}  // namespace winnow

#endif  // WINNOW_OPTIONS_H_
