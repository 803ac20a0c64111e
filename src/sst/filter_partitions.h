// The top-level index of a partitioned filter: which partition a key belongs to.
//
// RocksDB hands out a filter's partitions and not this index, and a key that its own partition
// denies may well be in a neighbour by chance. So that index is read from the file.

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
  std::string last;  // no key of the partition comes after it: an internal key, or a user's
  BlockPlace place;
};

// The partitions in their order; none where there is a problem.
struct FilterPartitions {
  std::vector<FilterPartition> partitions;
  bool internal_keys = false;  // whether `last` are internal keys
  std::string problem;         // why they can't be told, as a sentence; empty: they are
};

// Reads the index of a file whose filter is partitioned. A file of any bytes is allowed.
FilterPartitions ReadFilterPartitions(const std::string& path,
                                      const ROCKSDB_NAMESPACE::TableProperties& properties);

// The same of a partitioned filter whose blocks RocksDB read: it is a problem, too, where the index
// names other ones.
FilterPartitions PartitionsOfBlocks(const std::string& path, const RawSst& sst);

// Returns whether each partition was built with the first prefix of the next one too, so that a
// seek to a key between the two finds it. RocksDB does so from 6.2.4, 6.3.6 and 6.4.6 on, and no
// property tells its version: false for a file that has neither a time of creation nor a session,
// which files have from 6.6 and 6.14 on.
bool HasNextPrefixes(const ROCKSDB_NAMESPACE::TableProperties& properties) noexcept;

// The entries of a block of such an index, or nothing where it is not one. Pure, for any bytes.
// delta_encoded: as the property index_value_is_delta_encoded says.
std::optional<std::vector<FilterPartition>> ParseIndexBlock(std::string_view block,
                                                            bool delta_encoded);

// Where a lookup of the key goes: to the first partition whose last key is not before it, and to
// the last one if there is none. There is at least one partition.
size_t FindPartition(const FilterPartitions& partitions,
                     const ROCKSDB_NAMESPACE::Comparator* comparator, const InternalKey& key);

// The same for keys that come in the order of the file.
class PartitionWalk {
 public:
  // Both must live as long; there is at least one partition.
  PartitionWalk(const FilterPartitions& partitions, const ROCKSDB_NAMESPACE::Comparator* comparator)
      : partitions_(partitions), comparator_(comparator) {}

  // The number of the key's partition. Keys must not go backwards.
  size_t PartitionOf(const InternalKey& key);

 private:
  const FilterPartitions& partitions_;
  const ROCKSDB_NAMESPACE::Comparator* comparator_;
  size_t current_ = 0;
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_PARTITIONS_H_
