// Lookups of single keys, and of ranges as in scans, in the filter of an SST file.

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

// First and last user key of a file, with timestamps.
struct StoredRange {
  std::string first;
  std::string last;
  bool empty = false;
  bool known = false;  // if false, the other members are invalid

  template <typename Code>
  void Fields(Code& code) {
    code(first, last, empty, known);
  }
};

// Reads the key range; moves `keys`. The range is known if and only if the status is OK.
ROCKSDB_NAMESPACE::Status ReadRange(InternalKeys* keys, StoredRange* range);

// Returns true if a lookup of the key, given without timestamp, reads a file with this range, or
// may do so because the comparator is null or the range unknown.
bool IsWithin(const StoredRange& range, const ROCKSDB_NAMESPACE::Comparator* comparator,
              std::string_view key);

// Returns the user key to seek for the newest version of a key: with the highest timestamp. The
// comparator may be null.
std::string SoughtKey(std::string_view key, const ROCKSDB_NAMESPACE::Comparator* comparator);

// Returns the bytes for which a lookup queries a filter with these contents, or nullopt if it does
// not query the filter. The result may refer to `key`.
std::optional<std::string_view> AskedBytes(const FilterContents& contents, std::string_view key);

// Returns the prefix for which a scan of [begin, end) with auto_prefix_mode queries a prefix
// filter, by the rule of FilterBlockReader::RangeMayExist; nullopt if it does not query the filter.
// Keys have bytewise order. The result refers to `begin`.
std::optional<std::string_view> AskedPrefix(const ROCKSDB_NAMESPACE::SliceTransform& extractor,
                                            std::string_view begin, std::string_view end);

// The filter of an SST file. Not thread-safe.
class StoredFilter {
 public:
  // `path` is that of the file from which ReadRawSst() read `sst`. `sst` must outlive the object.
  // `comparator` is null if this program does not have the file's.
  StoredFilter(const std::string& path, const RawSst& sst,
               const ROCKSDB_NAMESPACE::Comparator* comparator);

  // A sentence that says why the partitions are unknown, in which case all answers are nullopt;
  // else empty.
  const std::string& problem() const { return partitions_.problem; }

  const FilterContents& contents() const { return contents_; }

  // Partitions of the filter; empty if it is not partitioned.
  const FilterPartitions& partitions() const { return partitions_; }

  // Returns the filter's answer, true for "may contain", or nullopt if the filter can't be queried
  // for the key. `hash` is the hash of the key.
  std::optional<bool> MayContain(std::string_view key, uint64_t hash);

  // Returns the range filter's answer for keys in [begin, end), given without timestamps, or
  // nullopt if there is no range filter that a scan would query.
  std::optional<bool> MayContainRange(std::string_view begin, std::string_view end) const;

  // Returns the prefix filter's answer for a scan of [begin, end) with auto_prefix_mode, or nullopt
  // if the scan would not query it.
  std::optional<bool> MayContainPrefix(std::string_view begin, std::string_view end);

  // Returns the index of the partition that a lookup or seek of the key queries; 0 if the filter is
  // not partitioned.
  size_t BlockOf(std::string_view key) const;

 private:
  bool AskBlocks(std::string_view key, std::string_view bytes, uint64_t hash);

  const ROCKSDB_NAMESPACE::Comparator* comparator_;
  FilterContents contents_;
  FilterPartitions partitions_;
  std::vector<FilterProber> probers_;
  std::vector<core::TableRanges> ranges_;  // range filters of the blocks in `probers_`
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_STORED_FILTER_H_
