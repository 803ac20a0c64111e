// Shape that a tree is to have, and the options of RocksDB that it is opened with.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_OPTIONS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_OPTIONS_H_

#include <absl/status/statusor.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "db_bench_ext/read_amplification/trees/policies.h"

namespace winnow::bench {

// Who decides what is merged.
enum class GrowthKind {
  kPlanned,  // compaction_plan.h: the same tree for every policy
  kRocksDB,  // RocksDB's own compaction, as the options say: trees may differ
};

// Options of the user's OPTIONS file, where TreeOptions has no field for them. Paths, the filter
// policy and the block cache are not in it.
struct FileOptions {
  rocksdb::Options database;
  rocksdb::BlockBasedTableOptions table;
};

// Sizes in bytes. The first three are of keys and values as they are written, before compression,
// where growth is planned, and have RocksDB's meaning where it isn't; 0 leaves them to ScaleTree.
struct TreeOptions {
  uint64_t write_buffer_size = 0;         // of a flush
  uint64_t target_file_size_base = 0;     // of a merged file
  uint64_t max_bytes_for_level_base = 0;  // of the level that flushes are merged into
  double max_bytes_for_level_multiplier = 10;
  uint64_t level0_file_num_compaction_trigger = 4;
  int num_levels = 7;
  bool level_compaction_dynamic_level_bytes = false;

  GrowthKind growth = GrowthKind::kPlanned;
  uint64_t level0_files = 2;  // planned: flushes that are left on level 0 at the end

  // Options of growth by RocksDB only.
  rocksdb::CompactionStyle compaction_style = rocksdb::kCompactionStyleLevel;
  bool disable_auto_compactions = false;
  int max_background_jobs = 2;

  size_t value_size = 100;
  rocksdb::CompressionType compression = rocksdb::kLZ4Compression;
  size_t block_size = 4096;
  uint32_t format_version = 5;
  bool partition_index_and_filters = false;
  uint64_t metadata_block_size = 4096;         // of a partition
  bool cache_index_and_filter_blocks = false;  // also where they are partitioned, with any cache
  bool pin_index_and_filter_blocks = false;    // of those in the cache, all, of files that are open
  bool optimize_filters_for_hits = false;
  size_t prefix_size = 0;  // of a fixed-prefix extractor; 0: that of the OPTIONS file, or none
  bool whole_key_filtering = true;
  uint64_t cache_size = 8 << 20;  // 0: no block cache
  double cache_share = 0;         // above 0: the cache's size to that of keys and values
  uint64_t seed = 0;              // of the values and of the order of writes

  std::shared_ptr<const FileOptions> file;  // null: RocksDB's defaults
};

// The same with its filters and indexes in the block cache, in that form. Whole and partitioned
// ones are pinned as the file of options says; by RocksDB's defaults, top levels of partitions are.
TreeOptions InForm(const TreeOptions& options, inspect::FilterForm form);

// Options of a tree that is being looked at: nothing is merged or flushed unless it is asked for.
rocksdb::Options RestingOptions(const TreeOptions& options, const Policy& policy);

// Options of a tree that RocksDB grows.
rocksdb::Options GrowingOptions(const TreeOptions& options, const Policy& policy);

// Returns whether files below level 0 may lack a filter although a policy is in force.
inline bool MayLackFilters(const TreeOptions& options) { return options.optimize_filters_for_hits; }

// The text of RocksDB's compression types that db_bench also takes: "none", "snappy", "lz4",
// "zstd". An error, with those that the library at hand has, for another.
absl::StatusOr<rocksdb::CompressionType> ParseCompression(const std::string& name);

// The inverse; unset for one without such a name.
std::optional<std::string> CompressionName(rocksdb::CompressionType type);

// By the names of the flags, sizes in bytes. `options` as ScaleTree gives them.
inspect::Settings SettingsOf(const TreeOptions& options);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_OPTIONS_H_
