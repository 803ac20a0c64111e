#include "src/core/hash_blocks.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace winnow::core {
namespace {

// Thread-local free list. Trivially destructible, since static destructors may build filters after
// thread-local objects are destroyed.
struct KeptBlocks {
  HashBlock* first;
  size_t bytes;
  bool thread_is_ending;
};
static_assert(std::is_trivially_destructible_v<KeptBlocks>);
thread_local KeptBlocks kept;

void FreeKept() noexcept {
  while (kept.first != nullptr) delete std::exchange(kept.first, kept.first->next);
  kept.bytes = 0;
}

struct AtThreadEnd {
  ~AtThreadEnd() {
    FreeKept();
    kept.thread_is_ending = true;
  }
};

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
  if (list == nullptr) return;
  thread_local AtThreadEnd at_thread_end;
  (void)at_thread_end;
  while (list != nullptr) {
    HashBlock* block = std::exchange(list, list->next);
    if (kept.thread_is_ending || kept.bytes + sizeof(HashBlock) > kMaxKeptBytes) {
      delete block;
      continue;
    }
    block->next = kept.first;
    kept.first = block;
    kept.bytes += sizeof(HashBlock);
  }
}

size_t KeptHashBlockBytes() noexcept { return kept.bytes; }

void FreeKeptHashBlocks() noexcept { FreeKept(); }

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

HashBlocks::Room HashBlocks::TakeRoom(size_t granule) noexcept {
  if (last_ == nullptr) return {nullptr, nullptr};
  auto* const words = reinterpret_cast<uint64_t*>(last_);
  const auto used = static_cast<size_t>(next_ - words);
  const Room room{std::min(end_, words + (used + granule - 1) / granule * granule), end_};
  end_ = room.begin;
  return room.begin == room.end ? Room{nullptr, nullptr} : room;
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

void HashBlocks::Add(const KeyHash* hashes, size_t n) {
  static_assert(sizeof(KeyHash) == sizeof(uint64_t) && std::is_trivially_copyable_v<KeyHash>);
  while (n != 0) {
    if (next_ == end_) Grow();
    const size_t fit = std::min(n, static_cast<size_t>(end_ - next_));
    std::memcpy(next_, hashes, fit * sizeof(uint64_t));
    next_ += fit;
    hashes += fit;
    n -= fit;
  }
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
