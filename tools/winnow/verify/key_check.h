// Lookups of every key of a file in the file's filter.

#ifndef WINNOW_TOOLS_WINNOW_VERIFY_KEY_CHECK_H_
#define WINNOW_TOOLS_WINNOW_VERIFY_KEY_CHECK_H_

#include <rocksdb/comparator.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/core/ranges/range_note.h"
#include "src/sst/filter_contents.h"
#include "src/sst/filter_partitions.h"
#include "src/sst/filter_prober.h"
#include "src/sst/filter_rate.h"
#include "src/sst/internal_keys.h"

namespace winnow::inspect {

// A filter as stored in its file. Objects that it refers to must outlive it.
struct CheckedFilter {
  std::vector<FilterProber> blocks;              // one, or one per partition; may be empty
  const FilterPartitions* partitions = nullptr;  // null if not partitioned
  // Comparator of the file. May be null, for an unknown one, if the filter is not partitioned.
  const ROCKSDB_NAMESPACE::Comparator* comparator = nullptr;
  // True if the first prefix of a partition is in the previous partition, too (HasNextPrefixes).
  bool has_next_prefixes = true;
  FilterContents contents;
  std::vector<core::TableRanges> ranges;  // one per block
  // Length of the timestamps at the end of user keys, which filters leave out.
  size_t timestamp_bytes = 0;
};

// A false negative: a key of the file that the filter denies, so that lookups miss it.
struct DeniedKey {
  std::string bytes;  // the key or prefix that was queried
  bool is_prefix = false;
  std::optional<int> partition;  // 0-based; nullopt if the filter is not partitioned

  template <typename Code>
  void Fields(Code& code) {
    code(bytes, is_prefix, partition);
  }
};

inline constexpr size_t kMaxDeniedShown = 5;

// Results of range filters for ranges that end just after a key, and begin at the key or just after
// the key before.
struct RangeCheck {
  uint64_t keys = 0;  // keys in blocks that have a range filter
  uint64_t false_negatives = 0;
  std::vector<DeniedKey> denied;  // the first kMaxDeniedShown

  template <typename Code>
  void Fields(Code& code) {
    code(keys, false_negatives, denied);
  }
};

struct KeyCheck {
  uint64_t entries = 0;
  uint64_t keys = 0;  // number of queried keys and prefixes, without consecutive duplicates
  std::vector<uint64_t> keys_of_blocks;  // `keys` of each block
  uint64_t false_negatives = 0;
  std::vector<DeniedKey> denied;  // the first kMaxDeniedShown
  RangeCheck range;
  uint64_t too_short = 0;          // keys shorter than a timestamp
  uint64_t out_of_order = 0;       // entries that sort before their predecessor
  std::string first_out_of_order;  // user key of the first of these
};

// Reads all keys and queries, for each, the block that RocksDB would query for the entry. The first
// prefix of a partition is also queried in the previous partition, where a seek to it may end, if
// the filter was built so. Whole keys are queried in the block's range filter, too. Passes every
// key to `absent`. keys->status() is not OK if some keys could not be read.
KeyCheck CheckKeys(InternalKeys* keys, CheckedFilter* filter, AbsentKeys* absent,
                   const std::function<void(const KeyCheck&)>& progress);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_VERIFY_KEY_CHECK_H_
