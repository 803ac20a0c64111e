#include "src/rocksdb/trees/filter_owners.h"

#include <iterator>

#include "src/rocksdb/loads/loaded_filter.h"

namespace winnow::plugin {
void FilterOwners::Add(std::string_view block, const std::shared_ptr<LiveFiles>& files,
                       const OwnerFile& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (owners_.size() >= kMostBlocks) DropForgotten();
  owners_.insert_or_assign(HashOfTail(block), Owner{files, file});
  has_owners_.store(true, std::memory_order_relaxed);
}

OwnedReader FilterOwners::NewReader(std::string_view block) { return NewReader(HashOfTail(block)); }

OwnedReader FilterOwners::NewReader(uint64_t hash_of_tail) {
  if (!has_owners_.load(std::memory_order_relaxed)) return {};
  std::shared_ptr<LiveFiles> files;
  OwnerFile file;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = owners_.find(hash_of_tail);
    if (found == owners_.end()) return {};
    files = found->second.files.lock();
    file = found->second.file;
  }
  return files == nullptr ? OwnedReader() : OwnedReader(std::move(files), file);
}

void FilterOwners::DropForgotten() {
  for (auto owner = owners_.begin(); owner != owners_.end();) {
    const std::shared_ptr<LiveFiles> files = owner->second.files.lock();
    const bool is_known = files != nullptr && files->Knows(owner->second.file.id);
    owner = is_known ? std::next(owner) : owners_.erase(owner);
  }
  // Or it would all be looked through again soon, and again.
  if (owners_.size() > kMostBlocks - kMostBlocks / 8) owners_.clear();
}

}  // namespace winnow::plugin
