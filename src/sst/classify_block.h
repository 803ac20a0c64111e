// Classification of filters by their bytes.

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

// Policy that built a filter.
enum class FilterFamily : size_t {
  kWinnow = 0,
  kBuiltin = 1,      // RocksDB's own
  kNone = 2,         // there is no filter
  kUnknownForm = 3,  // another policy, or damaged
};
inline constexpr size_t kNumFilterFamilies = 4;

// Returns "winnow", "builtin", "none" or "unknown".
std::string_view ToString(FilterFamily family);

// Values of FilterSummary::kind, in output and JSON.
inline constexpr std::string_view kWinnowBloom = "winnow-bloom";
inline constexpr std::string_view kWinnowRibbon = "winnow-ribbon";
// Includes RocksDB's legacy Bloom filter.
inline constexpr std::string_view kBuiltinBloom = "builtin-bloom";
inline constexpr std::string_view kBuiltinRibbon = "builtin-ribbon";
inline constexpr std::string_view kNoFilter = "none";
inline constexpr std::string_view kUnknown = "unknown";

struct KindRow {
  std::string_view name;
  FilterFamily family;
  std::optional<FilterKind> kind;  // set for Winnow's filters
};

// All kinds, in the order of the help.
inline constexpr KindRow kKindRows[] = {{kWinnowBloom, FilterFamily::kWinnow, FilterKind::kBloom},
                                        {kWinnowRibbon, FilterFamily::kWinnow, FilterKind::kRibbon},
                                        {kBuiltinBloom, FilterFamily::kBuiltin, std::nullopt},
                                        {kBuiltinRibbon, FilterFamily::kBuiltin, std::nullopt},
                                        {kNoFilter, FilterFamily::kNone, std::nullopt},
                                        {kUnknown, FilterFamily::kUnknownForm, std::nullopt}};

// Returns the row with this name, or the row of kUnknown.
const KindRow& RowOf(std::string_view name);

// Returns the name of a kind of Winnow's filters; kEmpty, which has no row, counts as a Bloom
// filter.
std::string_view NameOf(FilterKind kind);

// Sums over the Bloom filters among filter blocks, Winnow's and RocksDB's, without those that are
// empty, have an unknown number of keys, or match everything.
struct BloomBlocks {
  uint64_t blocks = 0;
  uint64_t keys = 0;
  uint64_t bytes = 0;
  uint64_t bytes_as_ribbons = 0;  // estimate for Winnow's Ribbon filters with the same rates

  BloomBlocks& operator+=(const BloomBlocks& other);

  template <typename Code>
  void Fields(Code& code) {
    code(blocks, keys, bytes, bytes_as_ribbons);
  }
};

// Level, rate and plan that a Winnow filter was built for, as recorded in the filter.
struct BuiltFor {
  // Level that the file was written to; -1: unknown. The file may have moved since.
  int level = -1;
  double target_fpr = 0;   // 0 to 1
  std::string level_plan;  // "uniform", "by_level", "auto", "learned", "unknown"
  // Levels below, which the plan assumed; -1: unknown, or the plan used other files.
  double levels_below = -1;

  // Members of the tree note (src/core/tree_note.h); unset if there is none.
  std::optional<std::string> tree{};     // tree ID, 16 hexadecimal digits
  std::optional<std::string> rate_by{};  // rule of the rate: "keys_in_range", "memory", …
  std::optional<double> log2_lambda{};
  // Keys of the tree in the file's key range; for plan "auto".
  std::optional<double> keys_in_range{};

  template <typename Code>
  void Fields(Code& code) {
    code(level, target_fpr, level_plan, levels_below, tree, rate_by, log2_lambda, keys_in_range);
  }
};

// Returns "auto, 1.5 levels below" or "auto, 30700 of the tree's keys in its range, lambda
// 2^-7.41".
std::string PlanText(const BuiltFor& built_for);

// A filter of a file or of a partition, or the sum over a file's partitions.
struct FilterSummary {
  // A name above. If the partitions of a sum have several kinds of one family, the kind with the
  // most keys.
  std::string kind = std::string(kUnknown);

  // Hashes in the filter: keys, prefixes, or both. Exact for Winnow's filters. RocksDB's filters
  // don't record the number: it is the file's property or, if that is missing, an estimate from the
  // file's entries; 0 for a single block.
  uint64_t keys = 0;
  uint64_t bytes = 0;       // size of the filter blocks, without the index of partitions
  double bits_per_key = 0;  // bytes * 8 / keys; 0 without keys

  // Expected false-positive rate, 0 to 1; for partitions, the mean weighted by keys. 1 for kinds
  // none and unknown. nullopt if the number of keys is unknown.
  std::optional<double> expected_fpr;

  // Number of filter blocks if the filter is partitioned, else 0.
  int partitions = 0;

  BloomBlocks bloom;

  // Parameters as readable text: "6 probes", "7.43 columns, 3 layers". May be empty.
  std::string detail;

  // Set for Winnow's filters that are not damaged; from the first partition.
  std::optional<BuiltFor> built_for;

  // Name of the filter's policy in the file's properties; may be empty.
  std::string policy_name;

  // A sentence if the filter is damaged or contradicts the properties. RocksDB then ignores the
  // filter, or gets wrong answers from it.
  std::optional<std::string> fault;

  // Property filter_size, which includes the index of partitions.
  uint64_t stored_bytes = 0;

  bool obsolete = false;  // a format of versions before RocksDB 7.0 that later versions don't read

  // Set for filters that are not damaged and have a known format; from the first partition.
  std::optional<FilterParameters> parameters;

  // nullopt if no block has a range filter.
  std::optional<RangeSummary> range;

  // Number of blocks by kind, in order of first appearance: {"winnow-ribbon", 12}.
  std::vector<std::pair<std::string, int>> kinds;

  template <typename Code>
  void Fields(Code& code) {
    code(kind, keys, bytes, bits_per_key, expected_fpr, partitions, bloom, detail, built_for,
         policy_name, fault, stored_bytes, obsolete, parameters, range, kinds);
  }

  // Returns whether the range filter answers lookups of keys, so that there is no other filter.
  bool is_single() const { return range && range->answers_keys; }

  // Returns the size without range filters.
  uint64_t bytes_without_range() const {
    return range ? bytes - std::min(bytes, range->bytes) : bytes;
  }
};

// Returns the parameters, "6 probes, 20 blocks, 0.468 full, winnow format 1, XXH3, seed 0; for
// 0.957 % on level 2", or the filter's detail if they are unknown; then the range filter.
std::string ParametersText(const FilterSummary& filter);

// Classifies a filter block by its bytes alone. A block with some of Winnow's marker, magic and
// checksum that can't be used has kind kUnknown and a fault. `keys` is the number of hashes of a
// built-in filter, which its bytes don't have; with 0 for unknown, it has no expected rate. `keys`
// is ignored for Winnow's filters, which record the number.
FilterSummary ClassifyBlock(std::string_view block, uint64_t keys);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_CLASSIFY_BLOCK_H_
