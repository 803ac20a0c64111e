// Thread-local record of the file that this thread is about to build, and of the filter that it
// built last. RocksDB calls a listener in the writing thread when a file is begun or finished, but
// passes nothing that identifies the builder or the filter.

#ifndef WINNOW_SRC_ROCKSDB_BUILDERS_LAST_BUILT_FILTER_H_
#define WINNOW_SRC_ROCKSDB_BUILDERS_LAST_BUILT_FILTER_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>

#include <memory>
#include <optional>
#include <string>

#include "src/rocksdb/ranges/key_order.h"
#include "src/rocksdb/trees/tree_files.h"

namespace winnow::plugin {

struct KnownFiles;

struct LastBuiltFilter {
  std::weak_ptr<KnownFiles> policy;  // known files of the policy that was asked for a builder last
  std::weak_ptr<TreeFiles> files;    // tree of the last filter's file
  TreeFiles::Id id = 0;              // id of the last filter's file; 0 if none
};

// Record the last builder and filter of this thread. Best-effort: nothing is recorded if out of
// memory.
void NoteBuilder(const std::shared_ptr<KnownFiles>& policy) noexcept;
void NoteBuilt(const std::shared_ptr<TreeFiles>& files, TreeFiles::Id id) noexcept;

// Records that this thread begins a file with keys in this order. If several listeners call this
// for one file, a known order takes precedence over an unknown one.
void BeginFile(const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo& file, KeyOrder order) noexcept;
LastBuiltFilter WhatWasBuilt() noexcept;
// Records that the file is finished.
void EndFile() noexcept;

// Sets the worker's job that this thread's compactions belong to, and returns the one before.
OrderOfJob SetJobHere(OrderOfJob job) noexcept;

// Returns the key order of the job's file that this builder is for; unset if the file does not
// belong to a job.
std::optional<KeyOrder> OrderOfJobHere(
    const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

// Returns the key order of the file that this builder is for; unset if no listener was told of it.
std::optional<KeyOrder> OrderOfBegunFile(
    const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_LAST_BUILT_FILTER_H_
