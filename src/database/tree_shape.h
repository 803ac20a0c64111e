// What a database's options say of the trees of its column families, as a filter policy may want to
// know it.

#ifndef WINNOW_SRC_DATABASE_TREE_SHAPE_H_
#define WINNOW_SRC_DATABASE_TREE_SHAPE_H_

#include <rocksdb/advanced_options.h>
#include <rocksdb/table.h>

#include <map>
#include <string>

namespace winnow::inspect {

// RocksDB's defaults where nothing else is known.
struct TreeShape {
  ROCKSDB_NAMESPACE::CompactionStyle style = ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  int levels = 7;
  double size_ratio = 10;  // max_bytes_for_level_multiplier
  bool has_dynamic_levels = false;
  bool last_level_has_filters = true;  // not optimize_filters_for_hits

  // What of the table options decides which filters RocksDB's own policies build: their defaults
  // are those of the version.
  int table_format = ROCKSDB_NAMESPACE::BlockBasedTableOptions().format_version;
  bool filters_for_memory = ROCKSDB_NAMESPACE::BlockBasedTableOptions().optimize_filters_for_memory;

  // The policy in force, by its options string; empty: none, or one that this program does not
  // have.
  std::string policy;

  uint64_t file_bytes = 64 << 20;  // target_file_size_base
  int file_growth = 1;             // target_file_size_multiplier

  template <typename Code>
  void Fields(Code& code) {
    code(style, levels, size_ratio, has_dynamic_levels, last_level_has_filters, table_format,
         filters_for_memory, policy, file_bytes, file_growth);
  }

  ROCKSDB_NAMESPACE::BlockBasedTableOptions TableOptions() const {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.format_version = static_cast<uint32_t>(table_format);
    table.optimize_filters_for_memory = filters_for_memory;
    return table;
  }
};

struct TreeShapes {
  std::map<std::string, TreeShape> families;  // by name
  std::string problem;  // why they are not known, as a clause; empty: they are

  template <typename Code>
  void Fields(Code& code) {
    code(families, problem);
  }
};

// As the latest OPTIONS file of the database's folder has them. RocksDB reads it, in a process of
// its own (AskChild says what that needs).
TreeShapes ReadTreeShapes(const std::string& database);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_TREE_SHAPE_H_
