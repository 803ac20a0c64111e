#include "src/rocksdb/trees/filter_file_map.h"

#include <iterator>

#include "src/rocksdb/loads/loaded_filter.h"

namespace winnow::plugin {
void FilterFileMap::Add(std::string_view block, const std::shared_ptr<TreeFiles>& files,
                        const FilterFile& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (files_.size() >= kMaxBlocks) DropForgotten();
  files_.insert_or_assign(HashOfTail(block), Entry{files, file});
  has_files_.store(true, std::memory_order_relaxed);
}

OwnedReader FilterFileMap::NewReader(std::string_view block) {
  return NewReader(HashOfTail(block));
}

OwnedReader FilterFileMap::NewReader(uint64_t hash_of_tail) {
  if (!has_files_.load(std::memory_order_relaxed)) return {};
  std::shared_ptr<TreeFiles> files;
  FilterFile file;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(hash_of_tail);
    if (found == files_.end()) return {};
    files = found->second.files.lock();
    file = found->second.file;
  }
  return files == nullptr ? OwnedReader() : OwnedReader(std::move(files), file);
}

void FilterFileMap::DropForgotten() {
  for (auto one = files_.begin(); one != files_.end();) {
    const std::shared_ptr<TreeFiles> files = one->second.files.lock();
    const bool is_known = files != nullptr && files->Knows(one->second.file.id);
    one = is_known ? std::next(one) : files_.erase(one);
  }
  // Otherwise, the next blocks would soon make all entries be searched again.
  if (files_.size() > kMaxBlocks - kMaxBlocks / 8) files_.clear();
}

}  // namespace winnow::plugin
