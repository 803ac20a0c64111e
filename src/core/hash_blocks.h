// The hashes of a filter that is being built: blocks of 64 KiB, so that nothing is ever copied or
// doubled as the count grows, and what links and allocates them is next to nothing beside them. A
// thread keeps blocks for its next filter, because fresh memory costs more than filling it; of a
// block that a small filter doesn't fill, the rest is never touched.

#ifndef WINNOW_SRC_CORE_HASH_BLOCKS_H_
#define WINNOW_SRC_CORE_HASH_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "winnow/hash.h"

namespace winnow::core {

struct HashBlock {
  static constexpr size_t kHashes = 8191;

  HashBlock* next;
  uint64_t hashes[kHashes];
};
static_assert(sizeof(HashBlock) == size_t{64} << 10);

// A block that this thread kept, or a new one. Throws std::bad_alloc.
HashBlock* AcquireHashBlock();

// Keeps the blocks of this list, linked by `next`, for the thread's next filter, up to
// kMaxKeptBytes, and frees the others.
void ReleaseHashBlocks(HashBlock* list) noexcept;

// The most that a thread keeps of hash blocks, and what this one keeps now, in bytes.
inline constexpr size_t kMaxKeptBytes = size_t{10} << 20;
size_t KeptHashBlockBytes() noexcept;
void FreeKeptHashBlocks() noexcept;

// One block, released unless it is given away.
struct HashBlockReleaser {
  void operator()(HashBlock* block) const noexcept {
    block->next = nullptr;
    ReleaseHashBlocks(block);
  }
};
using OwnedHashBlock = std::unique_ptr<HashBlock, HashBlockReleaser>;

// A list of hashes in the order in which they were added.
class HashBlocks {
 public:
  HashBlocks() = default;
  ~HashBlocks() { ReleaseHashBlocks(first_); }
  HashBlocks(HashBlocks&& other) noexcept { *this = static_cast<HashBlocks&&>(other); }
  HashBlocks& operator=(HashBlocks&& other) noexcept;
  HashBlocks(const HashBlocks&) = delete;
  HashBlocks& operator=(const HashBlocks&) = delete;

  // Throws std::bad_alloc, and is then unchanged.
  void Add(uint64_t hash) {
    if (next_ == end_) Grow();
    *next_++ = hash;
  }

  // The same for n hashes; when it throws, some of them may have been added.
  void Add(const KeyHash* hashes, size_t n);

  uint64_t size() const noexcept {
    return full_blocks_ * HashBlock::kHashes +
           (last_ == nullptr ? 0 : static_cast<uint64_t>(next_ - last_->hashes));
  }

  // Calls visit(const uint64_t* hashes, size_t n) for each block.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const HashBlock* block = first_; block != nullptr; block = block->next) {
      visit(block->hashes, SizeOf(block));
    }
  }

  bool HasSeveralBlocks() const noexcept { return full_blocks_ != 0; }

  // Gives away the room behind the last hash, from a multiple of `granule` words on, counted from
  // the block's beginning. It can be used until its block, which TakeFirst gives last, goes back to
  // the thread. Nothing may be added any more. {null, null} if there is no room.
  struct Room {
    uint64_t* begin;
    uint64_t* end;
  };
  Room TakeRoom(size_t granule) noexcept;

  // Takes the first block out and gives it to the caller, with the number of its hashes; null when
  // there is none.
  HashBlock* TakeFirst(size_t* n) noexcept;

 private:
  void Grow();
  size_t SizeOf(const HashBlock* block) const noexcept {
    return block == last_ ? static_cast<size_t>(next_ - last_->hashes) : HashBlock::kHashes;
  }

  uint64_t* next_ = nullptr;
  uint64_t* end_ = nullptr;
  HashBlock* first_ = nullptr;
  HashBlock* last_ = nullptr;
  uint64_t full_blocks_ = 0;  // all but the last one
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_HASH_BLOCKS_H_
