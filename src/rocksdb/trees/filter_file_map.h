// Map from filter blocks to files. RocksDB shows a reader only the block. The map allows counting
// the readers of a file and the answers of its filter.

#ifndef WINNOW_SRC_ROCKSDB_TREES_FILTER_FILE_MAP_H_
#define WINNOW_SRC_ROCKSDB_TREES_FILTER_FILE_MAP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/family/live_file.h"
#include "src/rocksdb/trees/known_trees.h"

namespace winnow::plugin {

// One reader of a file's filter, while the reader lives; does nothing without a file. A reader in a
// block cache may outlive its policy, and owns a share of the record.
class OwnedReader {
 public:
  OwnedReader() = default;
  OwnedReader(std::shared_ptr<TreeRecord> tree, family::FilePtr file)
      : tree_(std::move(tree)), file_(std::move(file)) {
    tree_->family.Opened(file_);
  }
  OwnedReader(OwnedReader&& other) noexcept = default;
  OwnedReader& operator=(OwnedReader&&) = delete;
  ~OwnedReader() {
    if (tree_ != nullptr) tree_->family.Closed(file_);
  }

  explicit operator bool() const noexcept { return tree_ != nullptr; }

  // Returns the name of the file's column family; null without a file.
  std::shared_ptr<family::FamilyName> family() const noexcept {
    return tree_ != nullptr ? tree_->name : nullptr;
  }

  // For lookups; require a file. CountAnswer counts the answer for a sampled check.
  void CountAnswer(std::string_view key, bool may_contain) const noexcept;
  AskedRanges& asked_ranges() const noexcept { return tree_->asked_ranges; }

 private:
  std::shared_ptr<TreeRecord> tree_;
  family::FilePtr file_;
};

// Map from the filter blocks of one policy to their files. Thread-safe.
class FilterFileMap {
 public:
  // Maximum number of known blocks, at some 80 bytes each. Blocks whose files are forgotten are
  // dropped when the number has doubled; if more than seven eighths of the maximum remain, all are.
  static constexpr size_t kMaxBlocks = 1 << 17;

  // `hash_of_tail` is HashOfTail (src/rocksdb/loads/loaded_filter.h) of the block. The first group
  // of LiveFile must not change any more: readers use it without a lock.
  void Add(uint64_t hash_of_tail, const std::shared_ptr<TreeRecord>& tree,
           const family::FilePtr& file);

  // Returns a reader without a file if the block was not added, or is forgotten.
  OwnedReader NewReader(uint64_t hash_of_tail);

 private:
  struct Entry {
    std::weak_ptr<TreeRecord> tree;
    std::weak_ptr<family::LiveFile> file;
  };

  void DropForgotten();

  std::mutex mutex_;
  std::unordered_map<uint64_t, Entry> files_;  // keyed by HashOfTail
  size_t drop_at_ = 1024;                      // number at which forgotten ones are dropped
};

// Returns the number of sampled checks of filters whose files were known. Thread-safe, also after
// main().
uint64_t CurrentSampledLookups() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_FILTER_FILE_MAP_H_
