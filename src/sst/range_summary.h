// Range filters in filter blocks, classified by their bytes.

#ifndef WINNOW_SRC_SST_RANGE_SUMMARY_H_
#define WINNOW_SRC_SST_RANGE_SUMMARY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::inspect {

// Range filters of a file or partition, or the sum over a file's partitions.
struct RangeSummary {
  // Name of the RangeFilterKind; "positions and trees" for both, "unknown" for an unusable filter.
  std::string kind;
  uint64_t filters = 1;     // number of partitions with a range filter, for a sum
  uint64_t keys = 0;        // 0 for an unusable filter
  uint64_t bytes = 0;       // included in FilterSummary::bytes
  double bits_per_key = 0;  // bytes * 8 / keys; 0 without keys
  double range_bits = 0;    // range_bits of the options; from the first partition
  uint64_t key_length = 0;  // bytes per key; from the first partition
  bool is_exact = false;    // no false positives for ranges, in any partition
  // The range filter of each partition also answers lookups of keys: there is no other filter.
  bool answers_keys = false;
  // Keys and bytes of each kind. If both kinds have all keys, `keys` counts them once.
  uint64_t positions_keys = 0;
  uint64_t positions_bytes = 0;
  uint64_t trees_keys = 0;
  uint64_t trees_bytes = 0;

  // Sentence that says why the filter can't or must not be used. Unset for a later version's
  // filter.
  std::optional<std::string> fault;

  template <typename Code>
  void Fields(Code& code) {
    code(kind, filters, keys, bytes, bits_per_key, range_bits, key_length, is_exact, answers_keys,
         positions_keys, positions_bytes, trees_keys, trees_bytes, fault);
  }
};

// Returns the summary of a filter block, which may have any bytes; nullopt if no range filter is
// found.
std::optional<RangeSummary> RangeOf(std::string_view filter_block);

// Adds the summary of a further partition.
void AddTo(const std::optional<RangeSummary>& part, std::optional<RangeSummary>* sum);

// Returns readable text: "range filter of 17.2 bits per key, range_bits 15".
std::string ToText(const RangeSummary& range);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_RANGE_SUMMARY_H_
