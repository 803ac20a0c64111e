// What this thread built last. RocksDB tells a listener in the thread that wrote a file that it is
// finished, and nothing by which its filter could be known.

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

// Where memory is short, nothing is noted.
void NoteBuilder(const KnownFiles* policy) noexcept;
void NoteBuilt(const std::shared_ptr<LiveFiles>& files, LiveFiles::Id id) noexcept;

// Since a file was begun by this thread.
void ForgetBuilt() noexcept;
LastBuiltFilter WhatWasBuilt() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_LAST_BUILT_FILTER_H_
