#include "src/core/hash_blocks.h"

#include <utility>

namespace winnow::core {
namespace {

// What one thread keeps. Freed when the thread ends.
struct KeptBlocks {
  HashBlock* first = nullptr;
  size_t bytes = 0;

  ~KeptBlocks() {
    while (first != nullptr) delete std::exchange(first, first->next);
    bytes = kMostKeptBytes;  // a filter that is freed after this keeps nothing
  }
};

thread_local KeptBlocks kept;

}  // namespace

HashBlock* AcquireHashBlock() {
  HashBlock* block = kept.first;
  if (block != nullptr) {
    kept.first = block->next;
    kept.bytes -= sizeof(HashBlock);
  } else {
    block = new HashBlock;
  }
  block->next = nullptr;
  return block;
}

void ReleaseHashBlocks(HashBlock* list) noexcept {
  while (list != nullptr) {
    HashBlock* block = std::exchange(list, list->next);
    if (kept.bytes + sizeof(HashBlock) > kMostKeptBytes) {
      delete block;
      continue;
    }
    block->next = kept.first;
    kept.first = block;
    kept.bytes += sizeof(HashBlock);
  }
}

size_t KeptHashBlockBytes() noexcept { return kept.bytes; }

HashBlocks& HashBlocks::operator=(HashBlocks&& other) noexcept {
  if (this == &other) return *this;
  ReleaseHashBlocks(first_);
  next_ = std::exchange(other.next_, nullptr);
  end_ = std::exchange(other.end_, nullptr);
  first_ = std::exchange(other.first_, nullptr);
  last_ = std::exchange(other.last_, nullptr);
  full_blocks_ = std::exchange(other.full_blocks_, 0);
  return *this;
}

HashBlock* HashBlocks::TakeFirst(size_t* n) noexcept {
  HashBlock* block = first_;
  if (block == nullptr) return nullptr;
  *n = SizeOf(block);
  first_ = block->next;
  if (block == last_) {
    last_ = nullptr;
    next_ = end_ = nullptr;
  } else {
    --full_blocks_;
  }
  return block;
}

void HashBlocks::Grow() {
  HashBlock* block = AcquireHashBlock();
  if (last_ == nullptr) {
    first_ = block;
  } else {
    last_->next = block;
    ++full_blocks_;
  }
  last_ = block;
  next_ = block->hashes;
  end_ = block->hashes + HashBlock::kHashes;
}

}  // namespace winnow::core
