// Where the filters of a policy lie, as far as the options of its column families told.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_TABLES_SEEN_H_
#define WINNOW_SRC_ROCKSDB_LOADS_TABLES_SEEN_H_

#include <rocksdb/cache.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace winnow::plugin {

// What is said of it.
struct PlaceOfFilters {
  bool is_in_cache = false;       // of a family at least
  bool is_outside = false;        // of a family at least: with its table, while that is open
  bool is_without_cache = false;  // partitions of a family, with no_block_cache
  bool is_mapped = false;         // of a database at least: by allow_mmap_reads
  bool is_read = false;           // of a database at least: without that

  // Of the caches that filters lie in and that are alive.
  size_t caches = 0;
  uint64_t capacity = 0;
  uint64_t usage = 0;
  uint64_t shards = 0;     // of all of them; 0: not known
  size_t full_caches = 0;  // of them, by nine tenths
  bool has_secondary = false;

  std::optional<int> max_open_files;  // the least; -1: no limit
};

// What is known of the tables of one policy, or of several.
struct KnownTables {
  using Time = std::chrono::steady_clock::time_point;
  struct Cache {
    std::weak_ptr<ROCKSDB_NAMESPACE::Cache> cache;
    const ROCKSDB_NAMESPACE::Cache* address;  // only compared
    Time since;                               // seen so long
  };

  void Add(const KnownTables& other);
  // Of the caches that are alive, those that were seen by then. Without a lock: the caches may have
  // no other owner when this is done.
  PlaceOfFilters Read(Time seen_by = Time::max()) const;

  PlaceOfFilters place;  // without what is said of caches
  std::vector<Cache> caches;
};

// Numbers for these policies: the same one where they share a cache that is alive, or each shares
// one with a third. A cache is known by its owner, as addresses recur, and by its address, as an
// object may own several.
std::vector<size_t> GroupsByCache(const std::vector<KnownTables>& policies);

// Of one policy. Safe from any number of threads.
class TablesSeen {
 public:
  void See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table, KnownTables::Time now);
  void See(const ROCKSDB_NAMESPACE::DBOptions& database);

  KnownTables Known() const;

 private:
  // Of caches that live, the first ones are known.
  static constexpr size_t kMaxCaches = 16;

  mutable std::mutex mutex_;
  KnownTables known_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_TABLES_SEEN_H_
