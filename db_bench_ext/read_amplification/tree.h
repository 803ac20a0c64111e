// Growing a tree in a RocksDB database, opening it, and saying what it looks like.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREE_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/db.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/compaction_plan.h"
#include "db_bench_ext/read_amplification/key_table.h"
#include "db_bench_ext/read_amplification/policies.h"

namespace winnow::bench {

// Sizes in bytes. The first three are of keys and values as they are written, before compression,
// and 0 leaves them to ScaleTree.
struct TreeOptions {
  uint64_t write_buffer_size = 0;         // of a flush
  uint64_t target_file_size_base = 0;     // of a merged file
  uint64_t max_bytes_for_level_base = 0;  // of level 1
  double max_bytes_for_level_multiplier = 10;
  uint64_t level0_file_num_compaction_trigger = 4;
  int num_levels = 7;

  size_t value_size = 100;
  rocksdb::CompressionType compression = rocksdb::kLZ4Compression;
  size_t block_size = 4096;
  uint32_t format_version = 5;
  bool partition_index_and_filters = false;
  uint64_t cache_size = 8 << 20;  // 0: no block cache
  uint64_t seed = 0;              // of the values and of the order of writes
};

// Fills in the sizes that are 0, so that this many keys make a tree of several levels with files on
// level 0: about 200 flushes, or more of 64 MB.
TreeOptions ScaleTree(const TreeOptions& options, uint64_t keys, uint64_t key_bytes);

// The text of RocksDB's compression types that db_bench also takes: "none", "snappy", "lz4",
// "zstd". An error, with those that the library at hand has, for another.
absl::StatusOr<rocksdb::CompressionType> ParseCompression(const std::string& name);

// Called now and then with the number of keys written; false ends the growth.
using GrowthProgress = absl::FunctionRef<bool(uint64_t keys_written)>;

// Writes every key once, in an order that depends only on options.seed, into a new database in the
// folder `path`, which must not exist or be empty. Flushes and merges come at fixed numbers of keys
// and one after the other, so the tree does not depend on time, threads or the filter. `options` as
// ScaleTree gives them.
absl::Status GrowTree(const KeyTable& keys, const TreeOptions& options, const Policy& policy,
                      const std::string& path, GrowthProgress progress);

// Opens a grown tree, with an empty block cache. Nothing is merged while it is open.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenTree(const TreeOptions& options,
                                                      const Policy& policy,
                                                      const std::string& path);

// The files of an open tree.
TreeLevels FilesByLevel(rocksdb::DB* db);

// The mean number of files whose range of keys holds a key of `lookups`, by looking at the first
// `sample` of them at most. 0 without lookups.
double FilesConsideredPerLookup(const TreeLevels& levels, const KeyTable& keys,
                                const std::vector<uint32_t>& lookups, size_t sample);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREE_H_
