// Differences between the supported versions of RocksDB, each with the version at which it changed.
// In Winnow's sources, only the headers of this folder test the version; tests also do where a
// version lacks the tested function.

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_VERSIONS_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_VERSIONS_H_

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "third_party/rocksdb_abi/version_at_least.h"

// From 8.0 on, the class of caches is in a header of its own.
#if WINNOW_ROCKSDB_AT_LEAST(8, 0)
#include <rocksdb/advanced_cache.h>
#endif

namespace winnow::rocksdb_abi {

// Type that NewRibbonFilterPolicy returns a pointer to. From 8.7 on, its bloom_before_level can be
// changed.
#if WINNOW_ROCKSDB_AT_LEAST(8, 7)
using RibbonPolicy = ROCKSDB_NAMESPACE::FilterPolicy;
#else
using RibbonPolicy = const ROCKSDB_NAMESPACE::FilterPolicy;
#endif

// Type of the result of DB::Open, OpenForReadOnly and OpenAsSecondary. From 9.11 on, an owning
// pointer; the overloads with a raw pointer are inline functions then, and removed from 11.0 on.
#if WINNOW_ROCKSDB_AT_LEAST(9, 11)
using OpenedDB = std::unique_ptr<ROCKSDB_NAMESPACE::DB>;
#else
using OpenedDB = ROCKSDB_NAMESPACE::DB*;
#endif

// Returns the owner of the opened database; null if opening failed.
inline std::unique_ptr<ROCKSDB_NAMESPACE::DB> Own(OpenedDB opened) {
  return std::unique_ptr<ROCKSDB_NAMESPACE::DB>(std::move(opened));
}

// Returns whether the keys of a file end with timestamps, if its comparator has timestamps. From
// 8.4 on, a database need not keep them. Older versions have this unknown property among the
// user-collected ones.
inline bool KeysHaveTimestamps(const ROCKSDB_NAMESPACE::TableProperties& properties) {
#if WINNOW_ROCKSDB_AT_LEAST(8, 4)
  return properties.user_defined_timestamps_persisted != 0;
#else
  const auto found =
      properties.user_collected_properties.find("rocksdb.user.defined.timestamps.persisted");
  return found == properties.user_collected_properties.end() || found->second != std::string(1, 0);
#endif
}

// Lets a database open although a file has another size than the MANIFEST says. Up to 10.4, there
// is an option for this, which does nothing from 10.5 on and is removed from 11.0 on: without
// paranoid_checks, the database opens then.
inline void LeaveFileSizesUnchecked(ROCKSDB_NAMESPACE::DBOptions* options) {
#if !WINNOW_ROCKSDB_AT_LEAST(11, 0)
  options->skip_checking_sst_file_sizes_on_db_open = true;
#endif
  options->paranoid_checks = false;
}

// Makes an OPTIONS file that can't be written an error. From 10.2 on, it always is.
inline void FailWithoutOptionsFile(ROCKSDB_NAMESPACE::DBOptions* options) {
#if WINNOW_ROCKSDB_AT_LEAST(10, 2)
  static_cast<void>(options);
#else
  options->fail_if_options_file_error = true;
#endif
}

// Returns whether filter partitions end where index partitions do. From 9.6 on, this can be turned
// off, and from 10.6 on, it is off by default.
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
inline constexpr bool kCanCutFiltersAlone = true;
inline bool CutsFiltersWithIndex(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) {
  return !table.decouple_partitioned_filters;
}
#else
inline constexpr bool kCanCutFiltersAlone = false;
inline bool CutsFiltersWithIndex(const ROCKSDB_NAMESPACE::BlockBasedTableOptions&) { return true; }
#endif

// Returns whether iterators check filters for prefixes only with auto_prefix_mode. From 9.7 on, an
// option puts others in total order.
inline bool SeeksPrefixesOnlyIfAsked(const ROCKSDB_NAMESPACE::DBOptions& options) {
#if WINNOW_ROCKSDB_AT_LEAST(9, 7)
  return options.prefix_seek_opt_in_only;
#else
  static_cast<void>(options);
  return false;
#endif
}

// Return the capacity and the usage of a block cache in bytes.
inline size_t CacheCapacity(const ROCKSDB_NAMESPACE::Cache& cache) { return cache.GetCapacity(); }
inline size_t CacheUsage(const ROCKSDB_NAMESPACE::Cache& cache) { return cache.GetUsage(); }
// Returns lines such as "num_shard_bits : 4".
inline std::string CacheOptionsText(const ROCKSDB_NAMESPACE::Cache& cache) {
  return cache.GetPrintableOptions();
}

// True if ldb loads the OPTIONS file of an existing database unasked, as from 7.3 on.
inline constexpr bool kLdbLoadsOptions = WINNOW_ROCKSDB_AT_LEAST(7, 3);

// True if a lookup with fill_cache=false does not cache a filter that it reads, as from 8.3 on.
inline constexpr bool kFillCacheConcernsFilters = WINNOW_ROCKSDB_AT_LEAST(8, 3);

// Tickers of files that lookups and prefix seeks did not have to read. From 8.3 on, seeks have
// tickers of their own.
inline constexpr ROCKSDB_NAMESPACE::Tickers kPrefixUseful[] = {
    ROCKSDB_NAMESPACE::BLOOM_FILTER_PREFIX_USEFUL,
#if WINNOW_ROCKSDB_AT_LEAST(8, 3)
    ROCKSDB_NAMESPACE::LAST_LEVEL_SEEK_FILTERED,
    ROCKSDB_NAMESPACE::NON_LAST_LEVEL_SEEK_FILTERED,
#endif
};

// True if the input of a compaction for another process has the options of the column family, as up
// to 9.6; later versions have only its name.
inline constexpr bool kJobsHaveFamilyOptions = !WINNOW_ROCKSDB_AT_LEAST(9, 7);

}  // namespace winnow::rocksdb_abi

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_VERSIONS_H_
