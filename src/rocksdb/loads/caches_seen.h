// Places where this process keeps filters, as far as the options of column families tell.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_CACHES_SEEN_H_
#define WINNOW_SRC_ROCKSDB_LOADS_CACHES_SEEN_H_

#include <rocksdb/cache.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "winnow/rocksdb_filter_loads.h"

namespace winnow::plugin {

// Returns the table options of a column family, or null if its tables are not block-based.
const ROCKSDB_NAMESPACE::BlockBasedTableOptions* TableOptionsOf(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family);

struct PlaceOfFilters {
  bool is_outside = false;            // true if a family's filters are kept with their open tables
  bool is_whole = false;              // true if a family has filters without partitions
  bool is_partitioned = false;        // true if a family has filters in partitions
  std::optional<int> max_open_files;  // minimum of all databases; -1 if unlimited

  // Sums over the live caches.
  size_t caches = 0;
  uint64_t capacity = 0;
  uint64_t usage = 0;
  uint64_t shards = 0;       // 0 if unknown of a cache
  bool has_no_room = false;  // true if a cache is full, or too small for filters that were loaded
};

// Not thread-safe.
class CachesSeen {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // May throw std::bad_alloc.
  void See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table, Time now);
  void See(const ROCKSDB_NAMESPACE::DBOptions& database) noexcept;

  // Returns the place of filters, with the live caches that were first seen by `seen_by`. `loads`
  // tells which room filters need. Must be called without a lock: this may release the last owner
  // of a cache.
  PlaceOfFilters Read(const FilterLoads& loads, Time seen_by = Time::max()) const;

 private:
  // Maximum number of live caches that are recorded; later ones are ignored.
  static constexpr size_t kMaxCaches = 64;

  struct Seen {
    std::weak_ptr<ROCKSDB_NAMESPACE::Cache> cache;
    const ROCKSDB_NAMESPACE::Cache* address;  // never dereferenced
    Time since;                               // time when it was first seen
  };

  PlaceOfFilters place_;  // without the sums over caches
  std::vector<Seen> caches_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_CACHES_SEEN_H_
