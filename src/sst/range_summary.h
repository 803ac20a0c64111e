// The range filters that filter blocks carry, judged by their bytes.

#ifndef WINNOW_SRC_SST_RANGE_SUMMARY_H_
#define WINNOW_SRC_SST_RANGE_SUMMARY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::inspect {

// The range filters of a file or of a partition, or the sum over a file's partitions.
struct RangeSummary {
  // The name of the RangeFilterKind; "positions and trees" if it has both, "unknown" if it can't be
  // used.
  std::string kind;
  uint64_t filters = 1;     // of a sum: partitions that have one
  uint64_t keys = 0;        // 0 if it can't be used
  uint64_t bytes = 0;       // a part of FilterSummary::bytes
  double bits_per_key = 0;  // bytes * 8 / keys; 0 without keys
  double range_bits = 0;    // w, as it was asked for; of a sum the first one's
  uint64_t key_length = 0;  // in bytes; of a sum the first one's
  bool is_exact = false;    // no range passes wrongly; of a sum, in no partition
  // Keys and bytes of each kind. Where both kinds have all keys, `keys` counts them once.
  uint64_t positions_keys = 0;
  uint64_t positions_bytes = 0;
  uint64_t trees_keys = 0;
  uint64_t trees_bytes = 0;

  // Why it can't be used, or must not be, as a sentence. None for one of a later version.
  std::optional<std::string> fault;

  template <typename Code>
  void Fields(Code& code) {
    code(kind, filters, keys, bytes, bits_per_key, range_bits, key_length, is_exact, positions_keys,
         positions_bytes, trees_keys, trees_bytes, fault);
  }
};

// Returns the summary of a filter block of any bytes; unset if it has none that is found.
std::optional<RangeSummary> RangeOf(std::string_view filter_block);

// Adds that of a further partition.
void AddTo(const std::optional<RangeSummary>& part, std::optional<RangeSummary>* sum);

// For people: "range filter of 17.2 bits a key, range_bits 15".
std::string ToText(const RangeSummary& range);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_RANGE_SUMMARY_H_
