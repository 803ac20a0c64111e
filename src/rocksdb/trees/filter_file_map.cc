#include "src/rocksdb/trees/filter_file_map.h"

#include <algorithm>
#include <iterator>

namespace winnow::plugin {
namespace {

std::atomic<uint64_t> sampled_lookups{0};

}  // namespace

void OwnedReader::CountAnswer(std::string_view key, bool may_contain) const noexcept {
  sampled_lookups.fetch_add(1, std::memory_order_relaxed);
  if (!may_contain) file_->CountDenied(key);
}

uint64_t CurrentSampledLookups() noexcept {
  return sampled_lookups.load(std::memory_order_relaxed);
}

void FilterFileMap::Add(uint64_t hash_of_tail, const std::shared_ptr<TreeRecord>& tree,
                        const family::FilePtr& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (files_.size() >= drop_at_) DropForgotten();
  files_.insert_or_assign(hash_of_tail, Entry{tree, file});
}

OwnedReader FilterFileMap::NewReader(uint64_t hash_of_tail) {
  std::shared_ptr<TreeRecord> tree;
  family::FilePtr file;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(hash_of_tail);
    if (found == files_.end()) return {};
    tree = found->second.tree.lock();
    file = found->second.file.lock();
  }
  if (tree == nullptr || file == nullptr) return {};
  return OwnedReader(std::move(tree), std::move(file));
}

void FilterFileMap::DropForgotten() {
  for (auto one = files_.begin(); one != files_.end();) {
    one = one->second.file.expired() ? files_.erase(one) : std::next(one);
  }
  // Otherwise, the next blocks would soon make all entries be searched again.
  if (files_.size() > kMaxBlocks - kMaxBlocks / 8) files_.clear();
  drop_at_ = std::clamp<size_t>(2 * files_.size(), 1024, kMaxBlocks);
}

}  // namespace winnow::plugin
