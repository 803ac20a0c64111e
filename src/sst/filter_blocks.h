// Filter blocks of an existing file, built from its keys as RocksDB builds those of a new one.

#ifndef WINNOW_SRC_SST_FILTER_BLOCKS_H_
#define WINNOW_SRC_SST_FILTER_BLOCKS_H_

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>
#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/sst/table_tail.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::inspect {

// Contents of a family's filters.
struct FilterOfKeys {
  const ROCKSDB_NAMESPACE::Comparator* comparator = nullptr;  // of the family
  bool whole_keys = true;
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefixes{};  // null for none
};

struct FilterBlocks {
  std::vector<std::string> blocks;  // as FilterToWrite; empty if the file has no keys
  uint64_t entries = 0;             // keys and prefixes that were added
};

// Builds the filter of a file with this end: in the partitions that the file has, or whole. Reads
// all keys, also of tombstones and merges, with checksums of their blocks; `read_bytes` gets the
// number of bytes of each step, about, and returns false to stop. The message of an error is a
// clause.
absl::StatusOr<FilterBlocks> BuildFilterBlocks(const std::string& path, const TableTail& tail,
                                               const FilterOfKeys& contents,
                                               ROCKSDB_NAMESPACE::FilterBitsBuilder* builder,
                                               absl::FunctionRef<bool(uint64_t)> read_bytes);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_BLOCKS_H_
