// Shape of a column family's tree, from the options that filter policies depend on.

#ifndef WINNOW_SRC_DATABASE_TREE_SHAPE_H_
#define WINNOW_SRC_DATABASE_TREE_SHAPE_H_

#include <rocksdb/advanced_options.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <map>
#include <string>

#include "src/database/options_text.h"
#include "third_party/rocksdb_abi/table_options.h"

namespace winnow::inspect {

// Table options on filters and indexes in the block cache, with RocksDB's defaults.
struct MetadataCaching {
  using Tier = ROCKSDB_NAMESPACE::PinningTier;

  bool in_cache = false;             // cache_index_and_filter_blocks
  bool high_priority = true;         // cache_index_and_filter_blocks_with_high_priority
  bool pin_level_0 = false;          // pin_l0_filter_and_index_blocks_in_cache
  bool pin_top_level = true;         // pin_top_level_index_and_filter
  Tier top_level = Tier::kFallback;  // metadata_cache_options
  Tier partition = Tier::kFallback;
  Tier unpartitioned = Tier::kFallback;
  bool no_block_cache = false;
  uint64_t block_bytes = 4096;  // metadata_block_size
  int deviation = 10;           // block_size_deviation, in percent
  // decouple_partitioned_filters, in versions that have it.
  bool decoupled =
      rocksdb_abi::DecouplesPartitionedFilters(ROCKSDB_NAMESPACE::BlockBasedTableOptions());
  uint64_t flush_bytes = 96 << 20;  // maximum size of a level-0 file whose metadata is pinned

  template <typename Code>
  void Fields(Code& code) {
    code(in_cache, high_priority, pin_level_0, pin_top_level, top_level, partition, unpartitioned,
         no_block_cache, block_bytes, deviation, decoupled, flush_bytes);
  }
};

// Options of the tree, with RocksDB's defaults.
struct TreeShape {
  ROCKSDB_NAMESPACE::CompactionStyle style = ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  int levels = 7;
  double size_ratio = 10;  // max_bytes_for_level_multiplier
  bool has_dynamic_levels = false;
  bool last_level_has_filters = true;  // false with optimize_filters_for_hits

  // Table options that decide which filters RocksDB's own policies build; defaults depend on
  // RocksDB's version.
  int table_format = ROCKSDB_NAMESPACE::BlockBasedTableOptions().format_version;
  bool filters_for_memory = ROCKSDB_NAMESPACE::BlockBasedTableOptions().optimize_filters_for_memory;

  // Options string of the policy in force; empty if there is none or this program does not have it.
  std::string policy;
  bool has_no_policy =
      false;  // filter_policy=nullptr: filters are not queried, even if files have some
  bool whole_keys = true;  // whole_key_filtering

  uint64_t file_bytes = 64 << 20;  // target_file_size_base
  int file_growth = 1;             // target_file_size_multiplier

  MetadataCaching caching;

  FamilyText text;  // text of the OPTIONS file, including names that this program does not have

  template <typename Code>
  void Fields(Code& code) {
    code(style, levels, size_ratio, has_dynamic_levels, last_level_has_filters, table_format,
         filters_for_memory, policy, has_no_policy, whole_keys, file_bytes, file_growth, caching,
         text);
  }

  ROCKSDB_NAMESPACE::BlockBasedTableOptions TableOptions() const {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.format_version = static_cast<uint32_t>(table_format);
    table.optimize_filters_for_memory = filters_for_memory;
    return table;
  }
};

// Sets the members of the tree itself, from `style` to `last_level_has_filters`.
void SetShape(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family, TreeShape* shape);

struct TreeShapes {
  std::map<std::string, TreeShape> families;  // keyed by name
  std::string problem;  // a clause that says why the families are unknown, or empty

  template <typename Code>
  void Fields(Code& code) {
    code(families, problem);
  }
};

// Returns the shapes from the latest OPTIONS file in the database's folder, which RocksDB reads in
// a child process; AskChild() states the requirements.
TreeShapes ReadTreeShapes(const std::string& database);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_TREE_SHAPE_H_
