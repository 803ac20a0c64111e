// The file that this thread is about to build, and the filter that it built last. When a file is
// begun or finished, RocksDB calls a listener in the thread that writes it, but tells nothing by
// which a builder or the filter could be known.

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
  std::weak_ptr<KnownFiles> policy;  // that was asked for a builder, by what it knows
  std::weak_ptr<TreeFiles> files;    // that have the last filter's file
  TreeFiles::Id id = 0;              // 0: none
};

// If memory is short, nothing is noted.
void NoteBuilder(const std::shared_ptr<KnownFiles>& policy) noexcept;
void NoteBuilt(const std::shared_ptr<TreeFiles>& files, TreeFiles::Id id) noexcept;

// This thread begins a file, of which nothing is built yet, and whose keys have this order. If
// several listeners say so of one file, what one of them knows counts.
void BeginFile(const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo& file, KeyOrder order) noexcept;
LastBuiltFilter WhatWasBuilt() noexcept;
// The file is finished.
void EndFile() noexcept;

// Until EndJob, compactions of this family in this thread are those of a worker's job.
void BeginJob(const std::string& family, KeyOrder order) noexcept;
void EndJob() noexcept;

// The order of the keys of the job's file that this builder is for; unset if it is not of a job.
std::optional<KeyOrder> OrderOfJobHere(
    const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

// The order of the keys of the file that this builder is for; unset if no listener was told of it.
std::optional<KeyOrder> OrderOfBegunFile(
    const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_LAST_BUILT_FILTER_H_
