// An SST file opened offline: its properties and the bytes of its filter blocks.

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
  // Never null unless error is set.
  std::shared_ptr<const ROCKSDB_NAMESPACE::TableProperties> properties;

  // The filter block, or the blocks of the partitions in their order. Empty: no filter that
  // RocksDB's or Winnow's policies read.
  std::vector<std::string> blocks;
  bool partitioned = false;

  // The filter has the form of RocksDB before 7.0 that no later one reads.
  bool obsolete_filter = false;

  // The properties promise a filter of a known policy, but it can't be read: why, as a sentence.
  std::optional<std::string> filter_fault;

  // Why the file can't be read, as a sentence.
  std::optional<std::string> error;
};

// Never fails: see RawSst::error. Needs memory for the file's index and twice its filter.
RawSst ReadRawSst(const std::string& path);

// The properties alone, without a look at the filter; or why the file can't be read.
RawSst ReadSstWithoutFilter(const std::string& path);

// Returns the bytes of all blocks together.
uint64_t FilterBytes(const RawSst& sst) noexcept;

// Returns the bytes of range filters among these.
uint64_t RangeFilterBytes(const RawSst& sst) noexcept;

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_SST_READER_H_
