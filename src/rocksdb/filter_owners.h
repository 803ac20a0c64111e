// Whose filter a block is, so that its readers can be counted: RocksDB shows a reader nothing but
// the block.

#ifndef WINNOW_SRC_ROCKSDB_FILTER_OWNERS_H_
#define WINNOW_SRC_ROCKSDB_FILTER_OWNERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/rocksdb/live_files.h"

namespace winnow::plugin {

// One reader of a file's filter, for as long as it lives; of no file, it counts nothing. A reader
// in a block cache may outlive its policy, and owns its share of the record.
class ReaderCount {
 public:
  ReaderCount() = default;
  ReaderCount(std::shared_ptr<LiveFiles> files, LiveFiles::Id id)
      : files_(std::move(files)), id_(id) {
    files_->Opened(id_);
  }
  ReaderCount(ReaderCount&& other) noexcept = default;
  ReaderCount& operator=(ReaderCount&&) = delete;
  ~ReaderCount() {
    if (files_ != nullptr) files_->Closed(id_);
  }

  explicit operator bool() const noexcept { return files_ != nullptr; }

 private:
  std::shared_ptr<LiveFiles> files_;
  LiveFiles::Id id_ = 0;
};

// Of one policy. Safe from any number of threads.
class FilterOwners {
 public:
  // Of as many blocks as this, each some 80 bytes; then those are forgotten whose files are.
  static constexpr size_t kMostBlocks = 1 << 17;

  void Add(std::string_view block, const std::shared_ptr<LiveFiles>& files, LiveFiles::Id id);

  // Of no file where the block was not added, or is forgotten.
  ReaderCount NewReader(std::string_view block);

 private:
  struct Owner {
    std::weak_ptr<LiveFiles> files;
    LiveFiles::Id id;
  };

  void DropForgotten();

  std::mutex mutex_;
  std::unordered_map<uint64_t, Owner> owners_;  // by a hash of the block's end
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_FILTER_OWNERS_H_
