// Where the filters of a policy are kept, as far as the options of its column families tell.

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

// The table options of a column family; null where its tables are not block-based.
const ROCKSDB_NAMESPACE::BlockBasedTableOptions* TableOptionsOf(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family);

// The place of filters, as an alarm describes it.
struct PlaceOfFilters {
  bool is_in_cache = false;       // of a family at least
  bool is_outside = false;        // of a family at least: with its table, while that is open
  bool is_without_cache = false;  // partitions of a family, with no_block_cache
  bool is_mapped = false;         // of a database at least: by allow_mmap_reads
  bool is_read = false;           // of a database at least: without that

  // Sums over the live caches that filters are in.
  size_t caches = 0;
  uint64_t capacity = 0;
  uint64_t usage = 0;
  uint64_t shards = 0;     // of all of them; 0: not known
  size_t full_caches = 0;  // of them, by nine tenths
  bool has_secondary = false;

  std::optional<int> max_open_files;  // the least; -1: no limit
};

// Known table options of one policy, or of several.
struct KnownTables {
  using Time = std::chrono::steady_clock::time_point;
  struct Cache {
    std::weak_ptr<ROCKSDB_NAMESPACE::Cache> cache;
    const ROCKSDB_NAMESPACE::Cache* address;  // only compared
    Time since;                               // seen so long
  };

  void Add(const KnownTables& other);
  // Sums over the live caches that were seen by then. Call it without a lock: afterwards the caches
  // may have no other owner.
  PlaceOfFilters Read(Time seen_by = Time::max()) const;

  PlaceOfFilters place;  // without what is said of caches
  std::vector<Cache> caches;
};

// A group number for each policy. Two policies have the same number if they share a live cache, or
// if each shares one with a third policy. A cache is known by its owner, as addresses are used
// again, and by its address, as an object may own several caches.
std::vector<size_t> GroupsByCache(const std::vector<KnownTables>& policies);

// Belongs to one policy. Safe from any number of threads.
class TablesSeen {
 public:
  void See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table, KnownTables::Time now);
  void See(const ROCKSDB_NAMESPACE::DBOptions& database);

  KnownTables Known() const;

 private:
  // The most live caches that are known: the first ones that were seen.
  static constexpr size_t kMaxCaches = 16;

  mutable std::mutex mutex_;
  KnownTables known_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_TABLES_SEEN_H_
