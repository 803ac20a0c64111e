// Caches of a policy's filters, as far as the options of its column families tell.

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

// Returns the table options of a column family, or null if its tables are not block-based.
const ROCKSDB_NAMESPACE::BlockBasedTableOptions* TableOptionsOf(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family);

// Sizes of blocks of a database's live files.
struct BlockBytes {
  uint64_t filters = 0;
  uint64_t indexes = 0;
};

// Caches that hold filters, as an alarm describes them.
struct PlaceOfFilters {
  bool is_in_cache = false;       // true if a family's filters are in a block cache
  bool is_outside = false;        // true if a family's filters are kept with their open tables
  bool is_without_cache = false;  // true if a family has partitions and no_block_cache
  bool is_whole = false;          // true if a family has filters without partitions
  bool is_mapped = false;         // true if a database has allow_mmap_reads
  bool is_read = false;           // true if a database has no allow_mmap_reads

  // Sums over the live caches.
  size_t caches = 0;
  uint64_t capacity = 0;
  uint64_t usage = 0;
  uint64_t shards = 0;     // sum over the caches; 0 if unknown
  size_t full_caches = 0;  // caches that are at least nine tenths full
  bool has_secondary = false;

  std::optional<int> max_open_files;  // minimum of all databases; -1 if unlimited
};

// Known table options of one policy, or of several.
struct KnownTables {
  using Time = std::chrono::steady_clock::time_point;
  struct Cache {
    std::weak_ptr<ROCKSDB_NAMESPACE::Cache> cache;
    const ROCKSDB_NAMESPACE::Cache* address;  // never dereferenced
    Time since;                               // time when it was first seen
  };

  void Add(const KnownTables& other);
  // Returns the sums over the live caches that were first seen by `seen_by`. Must be called without
  // a lock: this may release the last owner of a cache.
  PlaceOfFilters Read(Time seen_by = Time::max()) const;

  PlaceOfFilters place;  // without the sums over caches
  std::vector<Cache> caches;
};

// Table options that one policy was shown. Thread-safe.
class TablesSeen {
 public:
  void See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table, KnownTables::Time now);
  void See(const ROCKSDB_NAMESPACE::DBOptions& database);

  KnownTables Known() const;

 private:
  // Maximum number of live caches that are recorded; later ones are ignored.
  static constexpr size_t kMaxCaches = 16;

  mutable std::mutex mutex_;
  KnownTables known_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_TABLES_SEEN_H_
