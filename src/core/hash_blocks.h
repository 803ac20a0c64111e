// Storage for the hashes of a filter under construction: a list of 64 KiB blocks, which never
// copies hashes as it grows, with negligible overhead for links and allocation. Each thread keeps
// blocks for its next filter, because fresh memory costs more than filling it. The rest of a partly
// filled block is never touched.

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

// Returns a block that this thread kept, or a new one. Throws std::bad_alloc.
HashBlock* AcquireHashBlock();

// Keeps the blocks of this list, linked by `next`, for the thread's next filter, up to
// kMaxKeptBytes, and frees the rest.
void ReleaseHashBlocks(HashBlock* list) noexcept;

// Maximum, and current number, of bytes of hash blocks that this thread keeps.
inline constexpr size_t kMaxKeptBytes = size_t{10} << 20;
size_t KeptHashBlockBytes() noexcept;
void FreeKeptHashBlocks() noexcept;

// Owner of one block, which is released on destruction.
struct HashBlockReleaser {
  void operator()(HashBlock* block) const noexcept {
    block->next = nullptr;
    ReleaseHashBlocks(block);
  }
};
using OwnedHashBlock = std::unique_ptr<HashBlock, HashBlockReleaser>;

// A list of hashes in insertion order.
class HashBlocks {
 public:
  HashBlocks() = default;
  ~HashBlocks() { ReleaseHashBlocks(first_); }
  HashBlocks(HashBlocks&& other) noexcept { *this = static_cast<HashBlocks&&>(other); }
  HashBlocks& operator=(HashBlocks&& other) noexcept;
  HashBlocks(const HashBlocks&) = delete;
  HashBlocks& operator=(const HashBlocks&) = delete;

  // Throws std::bad_alloc, and then leaves the list unchanged.
  void Add(uint64_t hash) {
    if (next_ == end_) Grow();
    *next_++ = hash;
  }

  // Adds n hashes. If an exception is thrown, some of them may have been added.
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
  // the start of the block. The room may be used until its block, the last one of TakeFirst, is
  // released to the thread. Nothing may be added afterwards. Returns {null, null} if there is no
  // room.
  struct Room {
    uint64_t* begin;
    uint64_t* end;
  };
  Room TakeRoom(size_t granule) noexcept;

  // Removes the first block, sets *n to the number of its hashes, and passes the block to the
  // caller. Returns null if there is none.
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
  uint64_t full_blocks_ = 0;  // all blocks but the last
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_HASH_BLOCKS_H_
