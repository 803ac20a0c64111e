// Every key of a file asked of the filter that was built from them.

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

// A filter as its file has it. Everything it refers to must live as long.
struct CheckedFilter {
  std::vector<FilterProber> blocks;              // one, or one for each partition; or none
  const FilterPartitions* partitions = nullptr;  // null: not partitioned
  // The file's. Null: this program does not have it; only for filters that are not partitioned.
  const ROCKSDB_NAMESPACE::Comparator* comparator = nullptr;
  // The first prefix of a partition is in the one before as well (HasNextPrefixes).
  bool has_next_prefixes = true;
  FilterContents contents;
  std::vector<core::TableRanges> ranges;  // of the blocks
  size_t timestamp_bytes = 0;             // at the end of each user key, which filters leave out
};

// A key that a filter was built from and denies: a lookup of it does not find it.
struct DeniedKey {
  std::string bytes;  // what the filter was asked for
  bool is_prefix = false;
  std::optional<int> partition;  // from 0 on, of a partitioned filter

  template <typename Code>
  void Fields(Code& code) {
    code(bytes, is_prefix, partition);
  }
};

inline constexpr size_t kMaxDeniedShown = 5;

// Answers of range filters to ranges that begin at a key, or behind the key before it, and end
// behind it.
struct RangeCheck {
  uint64_t keys = 0;  // of blocks that have one
  uint64_t false_negatives = 0;
  std::vector<DeniedKey> denied;  // the first kMaxDeniedShown

  template <typename Code>
  void Fields(Code& code) {
    code(keys, false_negatives, denied);
  }
};

struct KeyCheck {
  uint64_t entries = 0;
  uint64_t keys = 0;                     // asked: whole keys and prefixes, equal neighbours once
  std::vector<uint64_t> keys_of_blocks;  // the same for each block
  uint64_t false_negatives = 0;
  std::vector<DeniedKey> denied;  // the first kMaxDeniedShown
  RangeCheck range;
  uint64_t too_short = 0;          // keys with fewer bytes than a timestamp
  uint64_t out_of_order = 0;       // entries that come before the one before them
  std::string first_out_of_order;  // the user key of the first such
};

// Reads the keys from the first to the last, and asks for each the block that RocksDB would ask for
// that entry; for the first prefix of a partition also the one before, as a seek to it may end
// there, if it was built so. Of whole keys the
// block's range filter is asked, too. Tells `absent` of every key. keys->status() says afterwards
// whether all were read.
KeyCheck CheckKeys(InternalKeys* keys, CheckedFilter* filter, AbsentKeys* absent,
                   const std::function<void(const KeyCheck&)>& progress);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_VERIFY_KEY_CHECK_H_
