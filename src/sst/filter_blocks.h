// Filter blocks of an existing file, built from its keys as RocksDB builds those of a new one.

#ifndef WINNOW_SRC_SST_FILTER_BLOCKS_H_
#define WINNOW_SRC_SST_FILTER_BLOCKS_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <rocksdb/comparator.h>

#include <cstdint>
#include <string>

#include "src/sst/filter_contents.h"
#include "src/sst/table_tail.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::inspect {

// Builds the filter of a file with this end, in the partitions that the file has or whole, and sets
// blocks, partitions and entries: no blocks if the file has no keys. Reads all keys, also of
// tombstones and merges, with checksums of their blocks; `read_bytes` gets the number of bytes of
// each step, about, and returns false to stop. The message of an error is a clause.
absl::Status BuildFilterBlocks(const std::string& path, const TableTail& tail,
                               const ROCKSDB_NAMESPACE::Comparator* of_family,
                               const FilterContents& contents,
                               ROCKSDB_NAMESPACE::FilterBitsBuilder* builder,
                               absl::FunctionRef<bool(uint64_t)> read_bytes, FilterToWrite* filter);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_BLOCKS_H_
