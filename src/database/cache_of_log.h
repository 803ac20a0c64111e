// Which block cache a database was opened with, and what goes into it, by its LOG. OPTIONS files
// never hold the cache.

#ifndef WINNOW_SRC_DATABASE_CACHE_OF_LOG_H_
#define WINNOW_SRC_DATABASE_CACHE_OF_LOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

// As RocksDB writes it when it opens a column family, and as SetOptions changed it since. What LOG
// does not say: metadata_cache_options, decouple_partitioned_filters and
// optimize_filters_for_memory, which OPTIONS files have; the estimated_entry_charge of a
// FixedHyperClockCache (HyperClockCache until 8.x); and a capacity that the program changed by
// Cache::SetCapacity.
struct LoggedCache {
  // "LRUCache", "HyperClockCache", "FixedHyperClockCache", "AutoHyperClockCache" or the name of
  // another. Empty, and the rest of the cache as it is here: the family has none (no_block_cache).
  std::string kind;
  uint64_t capacity = 0;  // bytes
  int num_shard_bits = 0;
  bool strict_capacity_limit = false;
  double high_pri_pool_ratio = 0;  // of LRUCache
  double low_pri_pool_ratio = 0;   // of LRUCache, from 7.3 on
  bool has_secondary_cache = false;
  // The other families of the LOG that were opened with the same cache, in its order.
  std::vector<std::string> shared_with;

  bool no_block_cache = false;
  bool cache_index_and_filter_blocks = false;
  bool cache_index_and_filter_blocks_with_high_priority = false;
  bool pin_l0_filter_and_index_blocks_in_cache = false;
  bool pin_top_level_index_and_filter = false;
  bool partition_filters = false;
  uint64_t block_size = 0;           // bytes, of a data block before its compression
  uint64_t metadata_block_size = 0;  // bytes, of a partition
  int prepopulate_block_cache = 0;   // as RocksDB numbers it; 0: not at all
};

// By the newest LOG of the database's folder, or of its db_log_dir, that speaks of the family.
// Nothing where none does: RocksDB prints the first ten families alone, a program may have a logger
// of its own, and a database that is opened to be read writes no LOG. The first 64 MiB of LOG are
// read and the first MiB of each LOG.old. Lines that were cut off or make no sense count as not
// there. Reads files, and writes and locks none.
std::optional<LoggedCache> CacheOfLog(const std::string& folder, const std::string& family);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_CACHE_OF_LOG_H_
