// Top-level index of a partitioned filter, which maps keys to partitions.
//
// RocksDB's public classes return a filter's partitions, but not this index, and another partition
// may contain a key by chance that its own partition denies. So the index is read from the file.

#ifndef WINNOW_SRC_SST_FILTER_PARTITIONS_H_
#define WINNOW_SRC_SST_FILTER_PARTITIONS_H_

#include <rocksdb/comparator.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/sst/internal_keys.h"
#include "src/sst/sst_reader.h"
#include "src/sst/table_blocks.h"

namespace winnow::inspect {

struct FilterPartition {
  std::string last;  // upper bound of the partition's keys: an internal key or a user key
  BlockPlace place;
};

// Partitions in key order; empty if there is a problem.
struct FilterPartitions {
  std::vector<FilterPartition> partitions;
  bool internal_keys = false;  // `last` has internal keys
  std::string problem;         // sentence that says why the partitions are unknown, or empty
};

// Reads the index of a file with a partitioned filter. Accepts any bytes.
FilterPartitions ReadFilterPartitions(const std::string& path,
                                      const ROCKSDB_NAMESPACE::TableProperties& properties);

// Reads the index for filter blocks that RocksDB read. Sets a problem, too, if the index refers to
// other blocks.
FilterPartitions PartitionsOfBlocks(const std::string& path, const RawSst& sst);

// Returns true if each partition was built with the first prefix of the next one, too, so that a
// seek to a key between the two partitions finds it. RocksDB does so since 6.2.4, 6.3.6 and 6.4.6,
// but no property has its version: returns false for a file without creation time and session ID,
// which files have since 6.6 and 6.14.
bool HasNextPrefixes(const ROCKSDB_NAMESPACE::TableProperties& properties) noexcept;

// Returns the entries of a block of such an index, or nullopt if it is malformed. Accepts any
// bytes. `delta_encoded` is the property index_value_is_delta_encoded.
std::optional<std::vector<FilterPartition>> ParseIndexBlock(std::string_view block,
                                                            bool delta_encoded);

// Returns the index of the partition that a lookup queries: the first partition whose last key is
// not before the key, or the last partition. There must be at least one partition.
size_t FindPartition(const FilterPartitions& partitions,
                     const ROCKSDB_NAMESPACE::Comparator* comparator, const InternalKey& key);

// FindPartition() for keys in the order of the file.
class PartitionWalk {
 public:
  // Both arguments must outlive the object; there must be at least one partition.
  PartitionWalk(const FilterPartitions& partitions, const ROCKSDB_NAMESPACE::Comparator* comparator)
      : partitions_(partitions), comparator_(comparator) {}

  // Returns the index of the key's partition. Keys must not decrease.
  size_t PartitionOf(const InternalKey& key);

 private:
  const FilterPartitions& partitions_;
  const ROCKSDB_NAMESPACE::Comparator* comparator_;
  size_t current_ = 0;
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_PARTITIONS_H_
