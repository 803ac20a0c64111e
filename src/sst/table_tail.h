// End of a block-based table: footer, metaindex, properties, and index of filter partitions; and
// the bytes of another end, with another filter, that is appended to the file. Format versions 2 to
// 7, as in RocksDB's table/format.cc and table/block_based/block_based_table_builder.cc.

#ifndef WINNOW_SRC_SST_TABLE_TAIL_H_
#define WINNOW_SRC_SST_TABLE_TAIL_H_

#include <absl/status/statusor.h>
#include <rocksdb/env.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/sst/filter_partitions.h"
#include "src/sst/table_blocks.h"

namespace winnow::inspect {

struct TableTail {
  uint64_t bytes = 0;  // size of the file
  int checksum_type = 0;
  uint32_t format_version = 0;
  uint32_t base_context = 0;  // of checksums, from format version 6 on; else 0
  BlockPlace index;           // up to format version 5; later ones have it in the metaindex
  std::map<std::string, std::string> metaindex;   // encoded places of blocks, by name
  std::map<std::string, std::string> properties;  // as stored
  std::string filter;                             // name in the metaindex; empty for none
  std::vector<FilterPartition> partitions;        // empty if the filter is not partitioned

  // Return a property that is a number, 0 if it is missing, or a text.
  uint64_t Number(const std::string& property) const;
  std::string Text(const std::string& property) const;
  // Returns whether the index's keys have no sequence number.
  bool has_user_keys() const { return Number("rocksdb.index.key.is.user.key") != 0; }
};

// Reads the end of a file of this size. Verifies checksums, and accepts any bytes. The message of
// an error is a clause: what was found, and where it helps what was expected.
absl::StatusOr<TableTail> ReadTableTail(ROCKSDB_NAMESPACE::Env* env, const std::string& path,
                                        uint64_t bytes);

// A filter in the place of a table's own.
struct FilterToWrite {
  std::vector<std::string> blocks;  // one, or as many as there are partitions; empty: no filter
  uint64_t entries = 0;             // keys and prefixes that were added
  std::string policy;               // FilterPolicy::Name()
  std::string compatibility;        // FilterPolicy::CompatibilityName()
  bool whole_keys = true;
  std::string extractor = "nullptr";  // SliceTransform::AsString() of the prefixes
};

// Returns what is to be appended to the file: the filter, properties that match it, metaindex and
// footer. The blocks before stay where they are.
std::string NewEndOf(const TableTail& tail, const FilterToWrite& filter);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_TABLE_TAIL_H_
