// Differences between the versions of RocksDB that we compile with, each with the version at which
// it changed. Of our sources only the headers of this folder ask for the version; tests also ask
// for it where a version lacks what they test.

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

// From 8.0 on a cache's class is in a header of its own.
#if WINNOW_ROCKSDB_AT_LEAST(8, 0)
#include <rocksdb/advanced_cache.h>
#endif

namespace winnow::rocksdb_abi {

// Type that NewRibbonFilterPolicy returns a pointer to. From 8.7 on its bloom_before_level can be
// changed.
#if WINNOW_ROCKSDB_AT_LEAST(8, 7)
using RibbonPolicy = ROCKSDB_NAMESPACE::FilterPolicy;
#else
using RibbonPolicy = const ROCKSDB_NAMESPACE::FilterPolicy;
#endif

// Type that DB::Open, OpenForReadOnly and OpenAsSecondary are given the address of. From 9.11 on
// the database's owner; with a bare pointer they are inline functions then, and gone from 11.0 on.
#if WINNOW_ROCKSDB_AT_LEAST(9, 11)
using OpenedDB = std::unique_ptr<ROCKSDB_NAMESPACE::DB>;
#else
using OpenedDB = ROCKSDB_NAMESPACE::DB*;
#endif

// The owner of what was opened; null if opening failed.
inline std::unique_ptr<ROCKSDB_NAMESPACE::DB> Own(OpenedDB opened) {
  return std::unique_ptr<ROCKSDB_NAMESPACE::DB>(std::move(opened));
}

// Returns whether the keys of a file end with timestamps, where its comparator says that keys do.
// From 8.4 on a database need not keep them. Before, properties that are not known are among those
// of users.
inline bool KeysHaveTimestamps(const ROCKSDB_NAMESPACE::TableProperties& properties) {
#if WINNOW_ROCKSDB_AT_LEAST(8, 4)
  return properties.user_defined_timestamps_persisted != 0;
#else
  const auto found =
      properties.user_collected_properties.find("rocksdb.user.defined.timestamps.persisted");
  return found == properties.user_collected_properties.end() || found->second != std::string(1, 0);
#endif
}

// A file of another size than the MANIFEST says does not keep a database from opening. Up to 10.4
// there is an option for this, which does nothing from 10.5 on and is gone from 11.0 on: without
// paranoid_checks the database opens then.
inline void LeaveFileSizesUnchecked(ROCKSDB_NAMESPACE::DBOptions* options) {
#if !WINNOW_ROCKSDB_AT_LEAST(11, 0)
  options->skip_checking_sst_file_sizes_on_db_open = true;
#endif
  options->paranoid_checks = false;
}

// An OPTIONS file that can't be written is an error. From 10.2 on it always is.
inline void FailWithoutOptionsFile(ROCKSDB_NAMESPACE::DBOptions* options) {
#if WINNOW_ROCKSDB_AT_LEAST(10, 2)
  static_cast<void>(options);
#else
  options->fail_if_options_file_error = true;
#endif
}

// Returns whether a partition of the filter ends where one of the index does. From 9.6 on that can
// be turned off, and from 10.6 on it is unless asked for.
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
inline constexpr bool kCanCutFiltersAlone = true;
inline bool CutsFiltersWithIndex(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) {
  return !table.decouple_partitioned_filters;
}
#else
inline constexpr bool kCanCutFiltersAlone = false;
inline bool CutsFiltersWithIndex(const ROCKSDB_NAMESPACE::BlockBasedTableOptions&) { return true; }
#endif

// True if iterators ask filters about prefixes only with auto_prefix_mode. From 9.7 on others can
// be told to be in total order.
inline bool SeeksPrefixesOnlyIfAsked(const ROCKSDB_NAMESPACE::DBOptions& options) {
#if WINNOW_ROCKSDB_AT_LEAST(9, 7)
  return options.prefix_seek_opt_in_only;
#else
  static_cast<void>(options);
  return false;
#endif
}

// The bytes that a block cache holds at most.
inline size_t CacheCapacity(const ROCKSDB_NAMESPACE::Cache& cache) { return cache.GetCapacity(); }
inline size_t CacheUsage(const ROCKSDB_NAMESPACE::Cache& cache) { return cache.GetUsage(); }
// Lines such as "num_shard_bits : 4".
inline std::string CacheOptionsText(const ROCKSDB_NAMESPACE::Cache& cache) {
  return cache.GetPrintableOptions();
}

// True if a lookup with fill_cache=false keeps a filter that it reads from being cached. From 8.3
// on it does.
inline constexpr bool kFillCacheConcernsFilters = WINNOW_ROCKSDB_AT_LEAST(8, 3);

// The tickers of the files that lookups and seeks of a prefix did not have to read. From 8.3 on
// seeks have tickers of their own.
inline constexpr ROCKSDB_NAMESPACE::Tickers kPrefixUseful[] = {
    ROCKSDB_NAMESPACE::BLOOM_FILTER_PREFIX_USEFUL,
#if WINNOW_ROCKSDB_AT_LEAST(8, 3)
    ROCKSDB_NAMESPACE::LAST_LEVEL_SEEK_FILTERED,
    ROCKSDB_NAMESPACE::NON_LAST_LEVEL_SEEK_FILTERED,
#endif
};

// The input of a compaction for another process has, up to 9.6, the options of the column family,
// and from then on its name alone.
inline constexpr bool kJobsHaveFamilyOptions = !WINNOW_ROCKSDB_AT_LEAST(9, 7);

}  // namespace winnow::rocksdb_abi

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_VERSIONS_H_
