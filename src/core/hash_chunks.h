// Hashes distributed to bins: lists of small chunks, which are cut from the blocks that the hashes
// were collected in, so that the distribution needs no additional memory.

#ifndef WINNOW_SRC_CORE_HASH_CHUNKS_H_
#define WINNOW_SRC_CORE_HASH_CHUNKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <utility>

#include "src/core/hash_blocks.h"

namespace winnow::core {

struct HashChunk {
  static constexpr uint32_t kHashes = 127;

  HashChunk* next;
  uint64_t hashes[kHashes];
};

// Prefetches the first kLines cache lines at an address, which need not be valid.
template <size_t kLines>
void PrefetchLines(const void* at) noexcept {
  constexpr size_t kLineBytes = 64;
  for (size_t i = 0; i < kLines; ++i) {
    __builtin_prefetch(
        reinterpret_cast<const char*>(reinterpret_cast<uintptr_t>(at) + i * kLineBytes));
  }
}

// Calls visit(const uint64_t* hashes, size_t n) for a chunk's first `count` hashes, piece by piece,
// and prefetches the next chunk: chunks are scattered, so hardware prefetching fails.
template <typename Visit>
void VisitChunk(const HashChunk* chunk, uint32_t count, Visit& visit) {
  constexpr uint32_t kPiece = 64;
  const HashChunk* const next = chunk->next;
  for (uint32_t begin = 0; begin < count; begin += kPiece) {
    PrefetchLines<kPiece * sizeof(uint64_t) / 64>(reinterpret_cast<const void*>(
        reinterpret_cast<uintptr_t>(next) + begin * sizeof(uint64_t)));
    visit(chunk->hashes + begin, size_t{std::min(kPiece, count - begin)});
  }
}

// A bin: a list of chunks, all full but the first. Initially empty.
struct HashBin {
  HashChunk* first = nullptr;
  uint32_t in_first = HashChunk::kHashes;
  uint32_t chunks = 0;

  uint64_t size() const noexcept {
    return chunks == 0 ? 0 : uint64_t{chunks - 1} * HashChunk::kHashes + in_first;
  }
};

// Free chunks of one filter. The destructor releases all blocks to the thread, even if bins still
// hold chunks.
class HashChunkPool {
 public:
  HashChunkPool() = default;
  ~HashChunkPool() {
    for (HashBlock* block : blocks_) {
      block = new (block) HashBlock;
      block->next = nullptr;
      ReleaseHashBlocks(block);
    }
  }
  HashChunkPool(const HashChunkPool&) = delete;
  HashChunkPool& operator=(const HashChunkPool&) = delete;

  // Calls visit(const uint64_t* hashes, size_t n) for all hashes of the list, piece by piece, and
  // empties the list. Visited memory is cut into free chunks while it is still in the first-level
  // cache.
  template <typename Visit>
  void Drain(HashBlocks* list, Visit visit) {
    UseRoom(list);
    size_t n;
    while (OwnedHashBlock owned{list->TakeFirst(&n)}) {
      const HashBlock* const next = owned->next;
      HashBlock* const block = Own(std::move(owned));
      auto* const words = reinterpret_cast<uint64_t*>(block);
      // The word that links the blocks precedes the hashes.
      const size_t words_end = kLinkWords + n;
      for (size_t begin = 0; begin < words_end; begin += kPieceWords) {
        const size_t end = begin + kPieceWords;
        // Hardware prefetching restarts in each page.
        PrefetchLines<2>(end < words_end ? static_cast<const void*>(words + end) : next);
        const size_t first = std::max(begin, kLinkWords);
        visit(static_cast<const uint64_t*>(words + first), std::min(end, words_end) - first);
        CutIntoChunks(words + begin, words + end);
      }
    }
  }

  // Makes room for chunks behind the last hash of a complete list that this pool will drain.
  void UseRoom(HashBlocks* list) noexcept {
    const HashBlocks::Room room = list->TakeRoom(kPieceWords);
    CutLater(room.begin, room.end);
  }

  void Give(HashChunk* chunk) noexcept {
    chunk->next = free_;
    free_ = chunk;
  }

  void Add(HashBin* bin, uint64_t hash) {
    if (bin->in_first == HashChunk::kHashes) Grow(bin);
    bin->first->hashes[bin->in_first++] = hash;
  }

  // Calls visit(hash) for each hash of the bin, and empties the bin. `visit` may add to other bins.
  template <typename Visit>
  void DrainOneByOne(HashBin* bin, Visit visit) {
    Drain(bin, [&](const uint64_t* hashes, size_t n) {
      for (size_t i = 0; i < n; ++i) visit(hashes[i]);
    });
  }

  // Calls visit(const uint64_t* hashes, size_t n) for all hashes of the bin, chunk by chunk, and
  // empties the bin.
  template <typename Visit>
  void Drain(HashBin* bin, Visit visit) {
    uint32_t n = bin->in_first;
    for (HashChunk* chunk = std::exchange(*bin, HashBin()).first; chunk != nullptr;) {
      VisitChunk(chunk, n, visit);
      n = HashChunk::kHashes;
      Give(std::exchange(chunk, chunk->next));
    }
  }

 private:
  static constexpr size_t kBlockWords = sizeof(HashBlock) / sizeof(uint64_t);
  static constexpr size_t kLinkWords = kBlockWords - HashBlock::kHashes;
  static constexpr size_t kChunkWords = sizeof(HashChunk) / sizeof(uint64_t);
  static constexpr size_t kPieceWords = 512;
  static_assert(kPieceWords % kChunkWords == 0);
  static_assert(kBlockWords % kPieceWords == 0);

  // Takes ownership of the block, also if an exception is thrown later.
  HashBlock* Own(OwnedHashBlock block) {
    blocks_.push_back(block.get());
    return block.release();
  }

  void CutIntoChunks(uint64_t* begin, uint64_t* end) noexcept {
    for (; begin != end; begin += kChunkWords) Give(new (begin) HashChunk);
  }

  // Cuts the words into chunks on demand, so that a small filter touches little memory.
  void CutLater(uint64_t* begin, uint64_t* end) noexcept {
    if (begin == end) return;
    CutIntoChunks(uncut_, uncut_end_);
    uncut_ = begin;
    uncut_end_ = end;
  }

  void Grow(HashBin* bin) {
    if (free_ == nullptr) {
      if (uncut_ == uncut_end_) {
        auto* const words = reinterpret_cast<uint64_t*>(Own(OwnedHashBlock(AcquireHashBlock())));
        CutLater(words, words + kBlockWords);
      }
      uint64_t* const words = std::exchange(uncut_, uncut_ + kChunkWords);
      CutIntoChunks(words, words + kChunkWords);
    }
    HashChunk* chunk = std::exchange(free_, free_->next);
    chunk->next = bin->first;
    bin->first = chunk;
    bin->in_first = 0;
    ++bin->chunks;
  }

  HashChunk* free_ = nullptr;
  uint64_t* uncut_ = nullptr;
  uint64_t* uncut_end_ = nullptr;
  std::deque<HashBlock*> blocks_;  // a deque, since a vector would double its capacity
};

// Calls visit(const uint64_t* hashes, size_t n) for all hashes of a bin, piece by piece.
template <typename Visit>
void ForEachPiece(const HashBin& bin, Visit visit) {
  uint32_t n = bin.in_first;
  for (const HashChunk* chunk = bin.first; chunk != nullptr; chunk = chunk->next) {
    VisitChunk(chunk, n, visit);
    n = HashChunk::kHashes;
  }
}

// Calls visit(hash) for each hash of a bin.
template <typename Visit>
void ForEachHash(const HashBin& bin, Visit visit) {
  ForEachPiece(bin, [&](const uint64_t* hashes, size_t n) {
    for (size_t i = 0; i < n; ++i) visit(hashes[i]);
  });
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_HASH_CHUNKS_H_
