// The block cache of a database and the options about it, parsed from the LOG. OPTIONS files never
// have the cache.

#ifndef WINNOW_SRC_DATABASE_CACHE_OF_LOG_H_
#define WINNOW_SRC_DATABASE_CACHE_OF_LOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

// Cache and table options as RocksDB logs them when it opens a column family, with later changes by
// SetOptions(). A LOG does not have: metadata_cache_options, decouple_partitioned_filters and
// optimize_filters_for_memory, which are in OPTIONS files; estimated_entry_charge of a
// FixedHyperClockCache (HyperClockCache up to 8.x); and capacities set by Cache::SetCapacity().
struct LoggedCache {
  // "LRUCache", "HyperClockCache", "FixedHyperClockCache", "AutoHyperClockCache" or another cache's
  // name. Empty for no_block_cache; the other members of the cache then have their defaults.
  std::string kind;
  uint64_t capacity = 0;  // bytes
  int num_shard_bits = 0;
  bool strict_capacity_limit = false;
  double high_pri_pool_ratio = 0;  // LRUCache only
  double low_pri_pool_ratio = 0;   // LRUCache only, since 7.3
  bool has_secondary_cache = false;
  // Other column families of the LOG that were opened with this cache, in the order of the LOG.
  std::vector<std::string> shared_with;

  bool no_block_cache = false;
  bool cache_index_and_filter_blocks = false;
  bool cache_index_and_filter_blocks_with_high_priority = false;
  bool pin_l0_filter_and_index_blocks_in_cache = false;
  bool pin_top_level_index_and_filter = false;
  bool partition_filters = false;
  uint64_t block_size = 0;           // bytes of an uncompressed data block
  uint64_t metadata_block_size = 0;  // bytes of a partition
  int prepopulate_block_cache = 0;   // RocksDB's enum value; 0: disabled
};

// Returns the cache from the newest LOG about the column family, in the database's folder or in
// db_log_dir. Returns nullopt if there is none: RocksDB logs only the first ten column families, a
// program may use its own logger, and a database opened for reading writes no LOG. Reads the first
// 64 MiB of LOG and the first MiB of each LOG.old. Truncated and invalid lines are ignored. Writes
// nothing and takes no lock.
std::optional<LoggedCache> CacheOfLog(const std::string& folder, const std::string& family);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_CACHE_OF_LOG_H_
