// Builder of a file's filters whose bits are decided elsewhere, with all files of the tree in view:
// for files that exist, in place of those by a record of live files.

#ifndef WINNOW_SRC_ROCKSDB_BUILDERS_DECIDED_BUILDER_H_
#define WINNOW_SRC_ROCKSDB_BUILDERS_DECIDED_BUILDER_H_

#include <rocksdb/filter_policy.h>

#include "src/family/family.h"
#include "src/rocksdb/trees/context.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

struct DecidedFile {
  family::Decided decided{};
  KnownTree tree{};        // with the id for the filter's note, and the true order of keys
  bool has_notes = false;  // a list of live files reads them
};

// Returns a builder of filters by these options, which the caller owns, or null if the file needs
// none. The plan `uniform` goes by bits_per_key; filter_memory has no effect. May throw
// std::bad_alloc.
ROCKSDB_NAMESPACE::FilterBitsBuilder* NewDecidedBuilder(
    const PolicyOptions& options, const DecidedFile& file,
    const ROCKSDB_NAMESPACE::FilterBuildingContext& context);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_DECIDED_BUILDER_H_
