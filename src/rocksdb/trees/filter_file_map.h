// Map from filter blocks to files. RocksDB shows a reader only the block. The map allows counting
// the readers of a file and sampling its lookups.

#ifndef WINNOW_SRC_ROCKSDB_TREES_FILTER_FILE_MAP_H_
#define WINNOW_SRC_ROCKSDB_TREES_FILTER_FILE_MAP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/rocksdb/trees/tree_files.h"

namespace winnow::plugin {

// The file that a filter belongs to.
struct FilterFile {
  TreeFiles::Id id = 0;
  int level = -1;  // TreeFiles::LevelIndex when the filter was built
  // True if the filter has one reader, from the file's opening to its end.
  bool has_one_reader = true;
};

// One reader of a file's filter, while the reader lives; does nothing without a file. A reader in a
// block cache may outlive its policy, and owns a share of the record.
class OwnedReader {
 public:
  OwnedReader() = default;
  OwnedReader(std::shared_ptr<TreeFiles> files, const FilterFile& file)
      : files_(std::move(files)), file_(file) {
    if (file_.has_one_reader) files_->Opened(file_.id);
    level_ = files_->LevelOfReaders(file_.id);
  }
  OwnedReader(OwnedReader&& other) noexcept = default;
  OwnedReader& operator=(OwnedReader&&) = delete;
  ~OwnedReader() {
    if (files_ != nullptr && file_.has_one_reader) files_->Closed(file_.id);
  }

  explicit operator bool() const noexcept { return files_ != nullptr; }

  // Accessors for lookups, which require a file. AskedNow returns the filter, with this
  // false-positive rate, for a lookup now.
  LookupSamples& samples() const noexcept { return files_->samples(); }
  AskedRanges& asked_ranges() const noexcept { return files_->asked_ranges(); }
  AskedFilter AskedNow(double rate) const noexcept {
    const int level = level_ != nullptr ? level_->load(std::memory_order_relaxed) : file_.level;
    return {file_.id, level, rate};
  }

 private:
  std::shared_ptr<TreeFiles> files_;
  FilterFile file_;
  std::shared_ptr<const std::atomic<int>> level_;  // present level of the file; null if unknown
};

// Map from the filter blocks of one policy to their files. Thread-safe.
class FilterFileMap {
 public:
  // Maximum number of known blocks, at some 80 bytes each. If exceeded, drops blocks whose files
  // are forgotten; if more than seven eighths remain, drops all.
  static constexpr size_t kMaxBlocks = 1 << 17;

  void Add(std::string_view block, const std::shared_ptr<TreeFiles>& files, const FilterFile& file);

  // Returns a reader without a file if the block was not added, or is forgotten. `hash_of_tail` is
  // HashOfTail (src/rocksdb/loads/loaded_filter.h) of the block.
  OwnedReader NewReader(std::string_view block);
  OwnedReader NewReader(uint64_t hash_of_tail);

 private:
  struct Entry {
    std::weak_ptr<TreeFiles> files;
    FilterFile file;
  };

  void DropForgotten();

  std::atomic<bool> has_files_{false};  // speeds up policies that never have one
  std::mutex mutex_;
  std::unordered_map<uint64_t, Entry> files_;  // keyed by HashOfTail
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_FILTER_FILE_MAP_H_
