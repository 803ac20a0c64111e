// The builder of a file's filter by the policy's options, with or without a level plan.

#ifndef WINNOW_SRC_ROCKSDB_PLANNED_BUILDERS_H_
#define WINNOW_SRC_ROCKSDB_PLANNED_BUILDERS_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>

#include "src/rocksdb/known_trees.h"
#include "src/rocksdb/log_line.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Of one policy. Safe from any number of threads.
class PlannedBuilders {
 public:
  // A builder of Winnow filters that the caller owns. Null, "no filter", where the plan needs none,
  // and if memory is short. Where a plan has no effect, the database's LOG says so.
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      const PolicyOptions& options,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // A database is opened, or gets a family, with these options.
  void BeginAfresh(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept;

 private:
  KnownTrees trees_;
  LogLine notes_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_PLANNED_BUILDERS_H_
