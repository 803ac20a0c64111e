// Classifies a filter by its bytes.

#ifndef WINNOW_SRC_SST_CLASSIFY_BLOCK_H_
#define WINNOW_SRC_SST_CLASSIFY_BLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/sst/filter_parameters.h"
#include "src/sst/range_summary.h"
#include "winnow/options.h"

namespace winnow::inspect {

// Who built a filter.
enum class FilterFamily : size_t {
  kWinnow = 0,
  kBuiltin = 1,      // RocksDB
  kNone = 2,         // there is no filter
  kUnknownForm = 3,  // somebody else, or it is damaged
};
inline constexpr size_t kNumFilterFamilies = 4;

// "winnow", "builtin", "none" and "unknown".
std::string_view ToString(FilterFamily family);

// The values of FilterSummary::kind, as they are printed and written as JSON.
inline constexpr std::string_view kWinnowBloom = "winnow-bloom";
inline constexpr std::string_view kWinnowRibbon = "winnow-ribbon";
inline constexpr std::string_view kBuiltinBloom = "builtin-bloom";  // also RocksDB's legacy Bloom
inline constexpr std::string_view kBuiltinRibbon = "builtin-ribbon";
inline constexpr std::string_view kNoFilter = "none";
inline constexpr std::string_view kUnknown = "unknown";

struct KindRow {
  std::string_view name;
  FilterFamily family;
  std::optional<FilterKind> kind;  // of Winnow's
};

// All of them, in the order in which help has them.
inline constexpr KindRow kKindRows[] = {{kWinnowBloom, FilterFamily::kWinnow, FilterKind::kBloom},
                                        {kWinnowRibbon, FilterFamily::kWinnow, FilterKind::kRibbon},
                                        {kBuiltinBloom, FilterFamily::kBuiltin, std::nullopt},
                                        {kBuiltinRibbon, FilterFamily::kBuiltin, std::nullopt},
                                        {kNoFilter, FilterFamily::kNone, std::nullopt},
                                        {kUnknown, FilterFamily::kUnknownForm, std::nullopt}};

// The row of that name; that of kUnknown for any other.
const KindRow& RowOf(std::string_view name);

// The name of a filter of Winnow's. An empty one, which no row has, counts as a Bloom filter.
std::string_view NameOf(FilterKind kind);

// The Bloom filters among the blocks of a filter, or of many: Winnow's and RocksDB's, but for empty
// ones, those of unknown keys, and those that match everything.
struct BloomBlocks {
  uint64_t blocks = 0;
  uint64_t keys = 0;
  uint64_t bytes = 0;
  uint64_t bytes_as_ribbons = 0;  // what Winnow's Ribbon filters of the same rates would take

  BloomBlocks& operator+=(const BloomBlocks& other);

  template <typename Code>
  void Fields(Code& code) {
    code(blocks, keys, bytes, bytes_as_ribbons);
  }
};

// Level, rate and plan that a Winnow filter was built for, as it records them.
struct BuiltFor {
  int level = -1;            // that the file was written to; -1 unknown. It may have moved since.
  double target_fpr = 0;     // 0 to 1
  std::string level_plan;    // "uniform", "by_level", "auto", "learned", "unknown"
  double levels_below = -1;  // what the plan took for its place in the tree; -1: unknown, or other
                             // files decided

  // The rule by its tree note (src/core/tree_note.h); unset without one.
  std::optional<std::string> tree{};  // the tree's id, 16 hexadecimal digits
  std::optional<std::string>
      rate_by{};  // the rule that gave the rate: "keys_in_range", "memory", ...
  std::optional<double> log2_lambda{};
  std::optional<double> keys_in_range{};  // the tree's keys in the file's range; of plan "auto"

  template <typename Code>
  void Fields(Code& code) {
    code(level, target_fpr, level_plan, levels_below, tree, rate_by, log2_lambda, keys_in_range);
  }
};

// The plan gave the rate by the other files of the tree, or by lookups, and not by a place.
bool IsByFiles(const BuiltFor& built_for);

// "auto, 1.5 levels below"; "auto, 30700 of the tree's keys in its range, lambda 2^-7.41"
std::string PlanText(const BuiltFor& built_for);

// One filter: of a file, of a partition, or the sum over a file's partitions.
struct FilterSummary {
  // One of the names above. A sum over partitions of several kinds of one family has the kind with
  // most keys; see kinds.
  std::string kind = std::string(kUnknown);

  // Hashes in the filter: keys, prefixes, or both. Exact for Winnow's filters; for RocksDB's, which
  // do not record it, the file's property or, where that is missing, an estimate from the file's
  // entries. 0 for a single built-in block, as nothing in it tells.
  uint64_t keys = 0;
  uint64_t bytes = 0;       // of the filter blocks, without the index over partitions
  double bits_per_key = 0;  // bytes * 8 / keys; 0 without keys

  // Share of absent keys for which the filter says "may contain", 0 to 1; over partitions the mean
  // by keys. 1 for kinds none and unknown. Unset when it can't be computed, as the keys are
  // unknown.
  std::optional<double> expected_fpr;

  // Number of filter blocks when the filter is partitioned; 0 for a filter of one block.
  int partitions = 0;

  BloomBlocks bloom;

  // The parameters, for people: "6 probes", "7.43 columns, 3 layers". May be empty.
  std::string detail;

  // Set for Winnow's filters that are not damaged; of several partitions the first.
  std::optional<BuiltFor> built_for;

  // Name of the policy that built it, from the file's properties. Empty: not recorded.
  std::string policy_name;

  // A sentence if the filter is damaged or is not what its properties promise. RocksDB then reads
  // the file as if it had no filter, or gets wrong answers from it.
  std::optional<std::string> fault;

  // As the property filter_size says: for partitions with the index over them.
  uint64_t stored_bytes = 0;

  bool obsolete = false;  // of a form before RocksDB 7.0 that no later one reads

  // Set for filters that are not damaged and whose form is known; of partitions the first one's.
  std::optional<FilterParameters> parameters;

  // Unset: no block has a range filter.
  std::optional<RangeSummary> range;

  // Blocks by kind, when there are blocks: {"winnow-ribbon", 12}. In order of first appearance.
  std::vector<std::pair<std::string, int>> kinds;

  template <typename Code>
  void Fields(Code& code) {
    code(kind, keys, bytes, bits_per_key, expected_fpr, partitions, bloom, detail, built_for,
         policy_name, fault, stored_bytes, obsolete, parameters, range, kinds);
  }

  // Returns the bytes of the filters of single keys and prefixes alone.
  uint64_t bytes_without_range() const {
    return range ? bytes - std::min(bytes, range->bytes) : bytes;
  }
};

// "6 probes, 20 blocks, 0.468 full, winnow format 1, XXH3, seed 0; for 0.957 % on level 2", of a
// filter whose parameters are known; else its detail. Then what range filter it has.
std::string ParametersText(const FilterSummary& filter);

// Classifies one filter block by its bytes alone. Pure. Bytes that any of Winnow's marker, magic
// and checksum call Winnow's, but that can't be used: kind unknown with a fault. `keys` is the
// number of hashes that a built-in filter is taken to hold, as its bytes do not tell; 0 if not
// known, and then there is no expected rate for it. Ignored for Winnow's filters, which record it.
FilterSummary ClassifyBlock(std::string_view block, uint64_t keys);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_CLASSIFY_BLOCK_H_
