// Options for building one filter.

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

// The kinds of filter. The numbers are those of the serialized form.
enum class FilterKind : uint8_t {
  kEmpty = 0,   // no keys were added: contains nothing. Results from a build, can't be asked for.
  kBloom = 1,   // cache-blocked Bloom: fastest to build and to query
  kRibbon = 2,  // bumped Ribbon: about 0.68 of Bloom's bytes for the same rate
};

// "empty", "bloom", "ribbon"; "unknown" for any other number. The string is static.
WINNOW_EXPORT std::string_view ToString(FilterKind kind) noexcept;

// Level plans: whether small levels of a tree get more accurate filters than its last one, which
// has most keys: the same memory then reads less. src/core/level_plan.h has the formula, and where
// it is from.
enum class LevelPlan : uint8_t {
  kUniform = 0,  // "uniform": every file has the rate that bits_per_key means
  kByLevel = 1,  // "by_level": by levels_below
  kAuto = 2,     // "auto": the same with the caller's care that levels_below is the least that the
                 // file will ever have, as files that are moved down unmerged keep their filters
  kLearned = 3,  // "learned": the same by the lookups that were seen. For policies of RocksDB
                 // (winnow/rocksdb_policy.h), as a builder sees none: CheckOptions refuses it, and
                 // a builder that is given it all the same builds as by kAuto and records this one
};

// "uniform", "by_level", "auto", "learned"; "unknown" for any other number. The string is static.
WINNOW_EXPORT std::string_view ToString(LevelPlan plan) noexcept;

// A ribbon_min_keys that is not a number of keys: a Ribbon filter from as many keys on as it saves
// a tenth of the bytes that a Bloom filter of the same rate takes, on an average over sizes nearby.
// That depends on bits_per_key and on nothing else (at 10: 64 keys, docs/results/small-filters.md).
// "auto" in text, where this number is refused; C++ programs that print the option may see it.
inline constexpr uint64_t kRibbonWhereItSaves = UINT64_MAX - 1;

// Options of a filter that is to be built. It grows (winnow/version.h).
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
  // key, most of them on the last level, whose filters can save them no read: those get a rate that
  // is 1/absent_share times as high, and the levels above the memory. At 0 the last level needs no
  // filters (see NeedsFilter), and the budget is that of the others.
  double absent_share = 1;

  // How much smaller than the last level the sorted run is that the file belongs to, in steps of
  // level_size_ratio: 0 is the last level, 1 the one above it where that has its full size, and so
  // on; halves count. 0 to 14; above counts as 14, below as -1: unknown, with the rate that
  // bits_per_key means. Recorded in the filter where there is a plan. C refuses what is outside.
  double levels_below = -1;
};

// For the functions of the same name below.
WINNOW_EXPORT std::string CheckOptions(const FilterOptions* options, size_t size);
WINNOW_EXPORT bool NeedsFilter(const FilterOptions* options, size_t size) noexcept;

// Empty if every option is in its range and a builder may have it, else a sentence that names the
// option, the value and the range. The builder does not refuse what this refuses: it takes the
// nearest valid value. A program that was compiled with more options than the library that is
// loaded has is refused, too; a builder does without them.
WINNOW_HIDDEN inline std::string CheckOptions(const FilterOptions& options) {
  return CheckOptions(&options, sizeof options);
}

// False for a file of the last level at absent_share 0: lookups find their keys in it, and a filter
// could only agree. A FilterBuilder makes one all the same, of the highest rate of a plan.
WINNOW_HIDDEN inline bool NeedsFilter(const FilterOptions& options) noexcept {
  return NeedsFilter(&options, sizeof options);
}

// ---- The options by name
//
// The one table of names and ranges, for all that checks, reads and shows options: the functions
// above, the C API, options strings of RocksDB (winnow/rocksdb_policy.h has that table's other
// half), the tool and the tests of the pages. The default is that of the field.

// The unit of an option that is a size: its text may have a unit of its own, as "256MiB".
inline constexpr std::string_view kBytes = "bytes";

// An option whose value is a number, in text a decimal one.
template <typename Value>
struct NumberOption {
  const char* name;
  Value least;
  Value most;

  // Value that "auto" in text stands for; such a number is refused there.
  std::optional<Value> automatic = std::nullopt;

  // Unit of the number, as "keys"; empty: it counts nothing.
  std::string_view unit = "";

  // A value outside of the range that means "unknown". C++ may then give any number, for the
  // nearest; text may not.
  std::optional<Value> unknown = std::nullopt;

  // NaN is in no range.
  constexpr bool IsInRange(Value value) const noexcept { return value >= least && value <= most; }

  // The nearest value in the range; NaN stays.
  constexpr Value Nearest(Value value) const noexcept {
    return value < least ? least : value > most ? most : value;
  }
};

// An option whose values have names.
template <typename Value, size_t kCount>
struct NamedOption {
  const char* name;
  std::array<std::pair<std::string_view, Value>, kCount> values;

  // Where a name is none of these, and something must be built all the same.
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
// The last one is a policy's alone.
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

// Calls visit(option, member) with each of these and the pointer to its field.
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
