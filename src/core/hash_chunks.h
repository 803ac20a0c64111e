// Hashes dealt into bins: lists of small chunks, cut from the blocks in which the hashes were
// collected, so that dealing needs no memory of its own.

#ifndef WINNOW_SRC_CORE_HASH_CHUNKS_H_
#define WINNOW_SRC_CORE_HASH_CHUNKS_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "src/core/hash_blocks.h"

namespace winnow::core {

// An eighth of a HashBlock.
struct HashChunk {
  static constexpr uint32_t kHashes = 63;

  HashChunk* next;
  uint64_t hashes[kHashes];
};
static_assert(sizeof(HashChunk) * 8 == sizeof(HashBlock));

// Asks for the chunk after this one: chunks are scattered, and nothing else foresees them.
inline void PrefetchNext(const HashChunk* chunk) noexcept {
  constexpr size_t kLine = 64;
  const auto* next = reinterpret_cast<const unsigned char*>(chunk->next);
  for (size_t i = 0; i < sizeof(HashChunk); i += kLine) __builtin_prefetch(next + i);
}

// A bin: chunks of which all but the first are full. Empty as made.
struct HashBin {
  HashChunk* first = nullptr;
  uint32_t in_first = HashChunk::kHashes;
  uint64_t chunks = 0;

  uint64_t size() const noexcept {
    return chunks == 0 ? 0 : (chunks - 1) * HashChunk::kHashes + in_first;
  }
};

// The free chunks of one filter. All blocks go back to the thread when the pool ends, whatever bins
// still hold.
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

  // Room for this many blocks, so that giving them can't fail.
  void ReserveBlocks(size_t blocks) { blocks_.reserve(blocks); }

  // Takes a block whose hashes are no longer needed. The caller keeps it if this throws.
  void Give(HashBlock* block) {
    blocks_.push_back(block);
    auto* bytes = reinterpret_cast<unsigned char*>(block);
    for (size_t i = 0; i < sizeof(HashBlock); i += sizeof(HashChunk))
      Give(new (bytes + i) HashChunk);
  }
  void Give(HashChunk* chunk) noexcept {
    chunk->next = free_;
    free_ = chunk;
  }

  void Add(HashBin* bin, uint64_t hash) {
    if (bin->in_first == HashChunk::kHashes) Grow(bin);
    bin->first->hashes[bin->in_first++] = hash;
  }

  // Calls visit(hash) for each hash of the bin, and empties it. The visit may add to other bins.
  template <typename Visit>
  void Drain(HashBin* bin, Visit visit) {
    DrainChunks(bin, [&](const uint64_t* hashes, size_t n) {
      for (size_t i = 0; i < n; ++i) visit(hashes[i]);
    });
  }

  // The same with visit(const uint64_t* hashes, size_t n).
  template <typename Visit>
  void DrainChunks(HashBin* bin, Visit visit) {
    uint32_t n = bin->in_first;
    for (HashChunk* chunk = std::exchange(*bin, HashBin()).first; chunk != nullptr;) {
      PrefetchNext(chunk);
      visit(static_cast<const uint64_t*>(chunk->hashes), n);
      n = HashChunk::kHashes;
      Give(std::exchange(chunk, chunk->next));
    }
  }

 private:
  void Grow(HashBin* bin) {
    if (free_ == nullptr) {
      OwnedHashBlock block(AcquireHashBlock());
      Give(block.get());
      (void)block.release();
    }
    HashChunk* chunk = std::exchange(free_, free_->next);
    chunk->next = bin->first;
    bin->first = chunk;
    bin->in_first = 0;
    ++bin->chunks;
  }

  HashChunk* free_ = nullptr;
  std::vector<HashBlock*> blocks_;
};

// Calls visit(hash) for each hash of a bin.
template <typename Visit>
void ForEachHash(const HashBin& bin, Visit visit) {
  uint32_t n = bin.in_first;
  for (const HashChunk* chunk = bin.first; chunk != nullptr; chunk = chunk->next) {
    PrefetchNext(chunk);
    for (uint32_t i = 0; i < n; ++i) visit(chunk->hashes[i]);
    n = HashChunk::kHashes;
  }
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_HASH_CHUNKS_H_
