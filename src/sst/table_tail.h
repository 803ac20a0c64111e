// End of a block-based table: footer, metaindex and properties; and the bytes of another end, with
// another filter, that is appended to the file. Format versions 2 to 7, as in RocksDB's
// table/format.cc and table/block_based/block_based_table_builder.cc.

#ifndef WINNOW_SRC_SST_TABLE_TAIL_H_
#define WINNOW_SRC_SST_TABLE_TAIL_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/sst/filter_partitions.h"
#include "src/sst/table_blocks.h"

namespace winnow::inspect {

struct TableTail {
  uint64_t bytes = 0;  // size of the file
  TableFooter footer;
  std::map<std::string, std::string> metaindex;   // encoded places of blocks, by name
  std::map<std::string, std::string> properties;  // as stored
  std::string filter;                             // name in the metaindex; empty for none

  bool has_partitions() const;
  // Return a property that is a number, 0 if it is missing, or a text.
  uint64_t Number(const std::string& property) const;
  std::string Text(const std::string& property) const;
  uint64_t keys() const;  // entries but range deletions
};

// Reads the end of a file. Verifies checksums, and accepts any bytes. The message of an error is a
// clause: what was found, and where it helps what was expected.
absl::StatusOr<TableTail> ReadTableTail(const std::string& path);

// A filter in the place of a table's own.
struct FilterToWrite {
  std::vector<std::string> blocks;          // one, or one a partition; empty: no filter
  std::vector<FilterPartition> partitions;  // those that the file has
  uint64_t entries = 0;                     // in the filter, as its builder counts them
  std::string policy;                       // FilterPolicy::Name()
  std::string compatibility;                // FilterPolicy::CompatibilityName()
  bool whole_keys = true;
  std::string extractor = "nullptr";  // SliceTransform::AsString() of the prefixes
};

// Returns what is to be appended to the file: the filter, properties that match it, metaindex and
// footer. The blocks before stay where they are.
std::string NewEndOf(const TableTail& tail, const FilterToWrite& filter);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_TABLE_TAIL_H_
