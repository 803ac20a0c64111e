// The filter that this thread built last. When a file is finished, RocksDB calls a listener in the
// thread that wrote it, but tells nothing by which the filter could be known.

#ifndef WINNOW_SRC_ROCKSDB_TREES_LAST_BUILT_FILTER_H_
#define WINNOW_SRC_ROCKSDB_TREES_LAST_BUILT_FILTER_H_

#include <memory>

#include "src/rocksdb/trees/live_files.h"

namespace winnow::plugin {

struct KnownFiles;

struct LastBuiltFilter {
  const KnownFiles* policy = nullptr;  // that was asked for a builder, by what it knows; never read
  std::weak_ptr<LiveFiles> files;      // that have the last filter's file
  LiveFiles::Id id = 0;                // 0: none
};

// If memory is short, nothing is noted.
void NoteBuilder(const KnownFiles* policy) noexcept;
void NoteBuilt(const std::shared_ptr<LiveFiles>& files, LiveFiles::Id id) noexcept;

// Nothing counts as built since this thread began a file.
void ForgetBuilt() noexcept;
LastBuiltFilter WhatWasBuilt() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_LAST_BUILT_FILTER_H_
