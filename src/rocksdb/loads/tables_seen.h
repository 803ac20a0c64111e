// Where the filters of a policy lie, as far as the options of its column families told.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_TABLES_SEEN_H_
#define WINNOW_SRC_ROCKSDB_LOADS_TABLES_SEEN_H_

#include <rocksdb/cache.h>
#include <rocksdb/table.h>

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

  // Of the caches that filters lie in and that are alive.
  size_t caches = 0;
  uint64_t capacity = 0;
  uint64_t usage = 0;
  uint64_t shards = 0;     // of all of them; 0: not known
  size_t full_caches = 0;  // of them, by nine tenths
  bool has_secondary = false;

  std::optional<int> max_open_files;  // the least; -1: no limit
};

// Of one policy. Safe from any number of threads.
class TablesSeen {
 public:
  void See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table);
  void SeeMaxOpenFiles(int max_open_files);

  PlaceOfFilters Read() const;

 private:
  // Those of the caches that are known last.
  static constexpr size_t kMostCaches = 16;

  mutable std::mutex mutex_;
  PlaceOfFilters place_;  // without what is said of caches
  std::vector<std::weak_ptr<ROCKSDB_NAMESPACE::Cache>> caches_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_TABLES_SEEN_H_
