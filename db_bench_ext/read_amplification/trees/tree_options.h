// Intended shape of a tree, and the RocksDB options to open it with.

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

// Decides which compactions run.
enum class GrowthKind {
  kPlanned,  // compaction_plan.h: equal trees for all policies
  kRocksDB,  // RocksDB's own compaction with the given options: trees may differ
};

// Options of the user's OPTIONS file that have no field in TreeOptions, without paths, filter
// policy and block cache.
struct FileOptions {
  rocksdb::Options database;
  rocksdb::BlockBasedTableOptions table;
};

// Sizes in bytes. For planned growth, the first three are sizes of keys and values before
// compression; otherwise they have RocksDB's meaning. 0: set by ScaleTree().
struct TreeOptions {
  uint64_t write_buffer_size = 0;         // size of a flush
  uint64_t target_file_size_base = 0;     // size of a compaction output file
  uint64_t max_bytes_for_level_base = 0;  // size of the base level
  double max_bytes_for_level_multiplier = 10;
  uint64_t level0_file_num_compaction_trigger = 4;
  int num_levels = 7;
  bool level_compaction_dynamic_level_bytes = false;

  GrowthKind growth = GrowthKind::kPlanned;
  uint64_t level0_files = 2;  // planned growth: flushes that stay on level 0 at the end

  // Options for growth by RocksDB only.
  rocksdb::CompactionStyle compaction_style = rocksdb::kCompactionStyleLevel;
  bool disable_auto_compactions = false;
  int max_background_jobs = 2;

  size_t value_size = 100;
  rocksdb::CompressionType compression = rocksdb::kLZ4Compression;
  size_t block_size = 4096;
  uint32_t format_version = 5;
  bool partition_index_and_filters = false;
  uint64_t metadata_block_size = 4096;         // size of a partition
  bool cache_index_and_filter_blocks = false;  // applies to partitions and to any cache
  bool optimize_filters_for_hits = false;
  size_t prefix_size = 0;  // length of a fixed prefix; 0: extractor of the OPTIONS file, or none
  bool whole_key_filtering = true;
  uint64_t cache_size = 8 << 20;  // 0: no block cache
  double cache_share = 0;         // ratio of the cache's size to keys and values, used if above 0
  uint64_t seed = 0;              // seed of values and of the order of writes

  std::shared_ptr<const FileOptions> file;  // null: RocksDB's defaults
};

// Returns options for examining a tree: compactions and flushes run only on request.
rocksdb::Options RestingOptions(const TreeOptions& options, const Policy& policy);

// Returns options for a tree that RocksDB grows.
rocksdb::Options GrowingOptions(const TreeOptions& options, const Policy& policy);

// Returns whether files below level 0 may lack a filter although a policy is in force.
inline bool MayLackFilters(const TreeOptions& options) { return options.optimize_filters_for_hits; }

// Parses RocksDB compression types that db_bench also accepts: "none", "snappy", "lz4", "zstd". For
// others, returns an error with the types supported by this library.
absl::StatusOr<rocksdb::CompressionType> ParseCompression(const std::string& name);

// Returns the name for ParseCompression(), or nullopt for other types.
std::optional<std::string> CompressionName(rocksdb::CompressionType type);

// Returns the settings by the names of the flags, sizes in bytes. `options` must be from
// ScaleTree().
inspect::Settings SettingsOf(const TreeOptions& options);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_OPTIONS_H_
