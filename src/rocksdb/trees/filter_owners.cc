#include "src/rocksdb/trees/filter_owners.h"

#include <algorithm>
#include <iterator>

#include "src/core/format.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace {

// The tail has the checksum of the payload, and the number of its bytes.
uint64_t HashOfTail(std::string_view block) noexcept {
  return HashKey(block.substr(block.size() - std::min(block.size(), core::kTailBytes))).value;
}

}  // namespace

void FilterOwners::Add(std::string_view block, const std::shared_ptr<LiveFiles>& files,
                       const OwnerFile& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (owners_.size() >= kMostBlocks) DropForgotten();
  owners_.insert_or_assign(HashOfTail(block), Owner{files, file});
}

OwnedReader FilterOwners::NewReader(std::string_view block) {
  std::shared_ptr<LiveFiles> files;
  OwnerFile file;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (owners_.empty()) return {};
    const auto found = owners_.find(HashOfTail(block));
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
