// The builder of a file's filter by the policy's options, with or without a level plan.

#ifndef WINNOW_SRC_ROCKSDB_PLANNED_BUILDER_H_
#define WINNOW_SRC_ROCKSDB_PLANNED_BUILDER_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>

#include "src/rocksdb/known_trees.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// A builder of Winnow filters that the caller owns. Null, "no filter", where the plan needs none,
// and if memory is short.
ROCKSDB_NAMESPACE::FilterBitsBuilder* NewPlannedBuilder(
    const PolicyOptions& options, const ROCKSDB_NAMESPACE::FilterBuildingContext& context,
    KnownTrees* trees) noexcept;

// What ValidateOptions is told of a column family.
FamilyOptions FamilyOptionsOf(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_PLANNED_BUILDER_H_
