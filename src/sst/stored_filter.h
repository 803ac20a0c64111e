// The filter that an SST file has, asked for single keys as a lookup asks it, and for ranges as a
// scan does.

#ifndef WINNOW_SRC_SST_STORED_FILTER_H_
#define WINNOW_SRC_SST_STORED_FILTER_H_

#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/ranges/range_note.h"
#include "src/sst/filter_contents.h"
#include "src/sst/filter_partitions.h"
#include "src/sst/filter_prober.h"
#include "src/sst/internal_keys.h"
#include "src/sst/sst_reader.h"

namespace winnow::inspect {

// The first and the last user key of a file, with their timestamps.
struct StoredRange {
  std::string first;
  std::string last;
  bool empty = false;
  bool known = false;  // else it tells nothing

  template <typename Code>
  void Fields(Code& code) {
    code(first, last, empty, known);
  }
};

// Moves `keys`. The range is known if and only if the status is OK.
ROCKSDB_NAMESPACE::Status ReadRange(InternalKeys* keys, StoredRange* range);

// Returns whether a lookup of the key, given without a timestamp, goes to a file of this range.
// Without a comparator it may.
bool IsWithin(const StoredRange& range, const ROCKSDB_NAMESPACE::Comparator* comparator,
              std::string_view key);

// The user key that a lookup of the newest version seeks: with the highest timestamp. The
// comparator may be null.
std::string SoughtKey(std::string_view key, const ROCKSDB_NAMESPACE::Comparator* comparator);

// Returns the bytes that a lookup asks a filter with these contents for; unset: it does not ask.
// Refers to `key`.
std::optional<std::string_view> AskedBytes(const FilterContents& contents, std::string_view key);

// Returns the prefix that a scan of [begin, end) with auto_prefix_mode asks a filter of such
// prefixes for, as FilterBlockReader::RangeMayExist decides it; unset: it asks none. Keys are in
// the order of their bytes. Refers to `begin`.
std::optional<std::string_view> AskedPrefix(const ROCKSDB_NAMESPACE::SliceTransform& extractor,
                                            std::string_view begin, std::string_view end);

// Not for several threads at once.
class StoredFilter {
 public:
  // The filter of the file at `path`, as ReadRawSst gave it; both must live as long. The comparator
  // is null where this program does not have it.
  StoredFilter(const std::string& path, const RawSst& sst,
               const ROCKSDB_NAMESPACE::Comparator* comparator);

  // Why the filter's partitions can't be told, as a sentence; empty: they can. Then nothing is
  // asked.
  const std::string& problem() const { return partitions_.problem; }

  const FilterContents& contents() const { return contents_; }

  // Which partition of the filter has which keys; without any where it is not partitioned.
  const FilterPartitions& partitions() const { return partitions_; }

  // Returns whether the filter's answer is "may contain"; unset: there is nothing to ask. `hash` is
  // that of the key.
  std::optional<bool> MayContain(std::string_view key, uint64_t hash);

  // Returns whether the range filter says that a key may be in [begin, end), which are keys without
  // timestamps; unset: there is none that a scan asks.
  std::optional<bool> MayContainRange(std::string_view begin, std::string_view end) const;

  // Likewise of the filter of prefixes, for a scan with auto_prefix_mode.
  std::optional<bool> MayContainPrefix(std::string_view begin, std::string_view end);

  // The number of the partition that a lookup or a seek of the key asks; 0 of a filter of one
  // block.
  size_t BlockOf(std::string_view key) const;

 private:
  bool AskBlocks(std::string_view key, std::string_view bytes, uint64_t hash);

  const ROCKSDB_NAMESPACE::Comparator* comparator_;
  FilterContents contents_;
  FilterPartitions partitions_;
  std::vector<FilterProber> probers_;
  std::vector<core::TableRanges> ranges_;  // of the same blocks
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_STORED_FILTER_H_
