// SST files opened without their database: properties and the bytes of filter blocks.

#ifndef WINNOW_SRC_SST_SST_READER_H_
#define WINNOW_SRC_SST_SST_READER_H_

#include <rocksdb/table_properties.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

struct RawSst {
  // Null only if `error` is set.
  std::shared_ptr<const ROCKSDB_NAMESPACE::TableProperties> properties;

  // The filter block, or the blocks of the partitions in order. Empty if there is no filter that
  // RocksDB's or Winnow's policies read.
  std::vector<std::string> blocks;
  bool partitioned = false;

  // True if the filter has a format of versions before RocksDB 7.0 that later versions don't read.
  bool obsolete_filter = false;

  // A sentence if the properties promise a filter of a known policy that can't be read.
  std::optional<std::string> filter_fault;

  // A sentence if the file can't be read.
  std::optional<std::string> error;
};

// Never fails: sets RawSst::error. Needs memory for the file's index and twice its filter.
RawSst ReadRawSst(const std::string& path);

// Reads only the properties, without the filter; sets RawSst::error on failure.
RawSst ReadSstWithoutFilter(const std::string& path);

// Returns the total size of the blocks.
uint64_t FilterBytes(const RawSst& sst) noexcept;

// Returns the size of the range filters in the blocks.
uint64_t RangeFilterBytes(const RawSst& sst) noexcept;

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_SST_READER_H_
