// Which file a filter block belongs to. RocksDB shows a reader nothing but the block. By this map
// readers of a file are counted, and its lookups sampled.

#ifndef WINNOW_SRC_ROCKSDB_TREES_FILTER_FILE_MAP_H_
#define WINNOW_SRC_ROCKSDB_TREES_FILTER_FILE_MAP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "src/rocksdb/trees/live_files.h"

namespace winnow::plugin {

// Of one policy. Safe from any number of threads.
class FilterFileMap {
 public:
  // The most blocks that are known, at some 80 bytes each. If there are more, blocks are forgotten
  // whose files are forgotten; if more than seven eighths are left then, all are.
  static constexpr size_t kMaxBlocks = 1 << 17;

  void Add(std::string_view block, const std::shared_ptr<LiveFiles>& files, const FilterFile& file);

  // The reader is of no file if the block was not added, or is forgotten. hash_of_tail: HashOfTail
  // (src/rocksdb/loads/loaded_filter.h) of the block.
  OwnedReader NewReader(std::string_view block);
  OwnedReader NewReader(uint64_t hash_of_tail);

 private:
  struct Entry {
    std::weak_ptr<LiveFiles> files;
    FilterFile file;
  };

  void DropForgotten();

  std::atomic<bool> has_files_{false};  // since the first: most policies never have one
  std::mutex mutex_;
  std::unordered_map<uint64_t, Entry> files_;  // by a hash of the block's end
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_FILTER_FILE_MAP_H_
