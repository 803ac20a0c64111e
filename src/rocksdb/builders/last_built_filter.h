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

#include "src/family/live_file.h"
#include "src/rocksdb/ranges/key_order.h"

namespace winnow::plugin {

struct KnownFiles;
struct TreeRecord;

struct LastBuiltFilter {
  std::weak_ptr<KnownFiles> policy;  // known files of the policy that was asked for a builder last
  std::weak_ptr<TreeRecord> tree;    // tree of the last filter's file
  family::FilePtr file = {};         // the last filter's file; null if none
};

// A file that this thread is about to build, as a listener was told of it.
struct BegunFile {
  family::FileName database;
  std::string path;
  std::string family;
  ROCKSDB_NAMESPACE::TableFileCreationReason reason;
  KeyOrder order;
  int job;
};

// Record the last builder and filter of this thread. Best-effort: nothing is recorded if out of
// memory.
void NoteBuilder(const std::shared_ptr<KnownFiles>& policy) noexcept;
void NoteBuilt(const std::shared_ptr<TreeRecord>& tree, const family::FilePtr& file) noexcept;

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

// Returns the file that this builder is for, until the thread begins another one; null if no
// listener was told of it.
const BegunFile* BegunFor(const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_LAST_BUILT_FILTER_H_
