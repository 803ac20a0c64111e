// Which filter to build for a file, from what RocksDB tells about it.

#ifndef WINNOW_SRC_ROCKSDB_CONTEXT_H_
#define WINNOW_SRC_ROCKSDB_CONTEXT_H_

#include <rocksdb/advanced_options.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/types.h>

#include "winnow/options.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// What decides about a file's filter.
struct BuildFacts {
  ROCKSDB_NAMESPACE::CompactionStyle compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  int level = -1;  // that the file is written to; -1 unknown, as for SstFileWriter
  ROCKSDB_NAMESPACE::TableFileCreationReason reason =
      ROCKSDB_NAMESPACE::TableFileCreationReason::kMisc;
};

BuildFacts FactsOf(const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

// The options of the file's filter: a pure function. The kind is set to Bloom for files below
// bloom_before_level, with RocksDB's meaning of it (a flush is level -1; an unknown level and the
// FIFO style count as the last level), and else left to the number of keys.
FilterOptions FactsToOptions(const PolicyOptions& policy, const BuildFacts& facts) noexcept;

// Both in one.
FilterOptions ContextToOptions(const PolicyOptions& policy,
                               const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_CONTEXT_H_
