// Memory allocator with huge pages for block caches (winnow/rocksdb_huge_pages.h has its user
// documentation).

#ifndef WINNOW_SRC_ROCKSDB_HUGE_PAGES_H_
#define WINNOW_SRC_ROCKSDB_HUGE_PAGES_H_

#include <rocksdb/memory_allocator.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace winnow::plugin {

// Best-fit heap in one reserved address range, for which the system is asked for huge pages. A
// block gets the smallest free extent that holds it, and the lowest of these; free neighbors are
// merged. Thread-safe, also in a child that is forked while other threads allocate.
class HugePageHeap {
 public:
  static constexpr size_t kPage = size_t{2} << 20;
  static constexpr size_t kGrain = 4096;  // alignment of blocks and of their sizes
  // Maximum number of resident pages without a block. Keeping some avoids a page fault for each
  // short-lived block.
  static constexpr size_t kMaxIdlePages = 8;

  struct Usage {
    size_t allocated = 0;  // bytes of all blocks
    size_t resident = 0;   // bytes of resident pages, if all are written to
  };

  // Reserves addresses for at most `most_bytes`. Memory is committed later.
  explicit HugePageHeap(size_t most_bytes) noexcept;
  // All blocks must have been freed.
  ~HugePageHeap();
  HugePageHeap(const HugePageHeap&) = delete;
  HugePageHeap& operator=(const HugePageHeap&) = delete;

  // Returns false if the addresses could not be reserved. The heap then allocates nothing.
  bool HasRange() const noexcept { return begin_ != nullptr; }

  // Returns null if the range is full or out of memory.
  void* Allocate(size_t size) noexcept;
  void Free(void* block) noexcept;
  bool Owns(const void* block) const noexcept;

  // Returns the size of a block in bytes, rounded up to kGrain.
  size_t SizeOf(const void* block) const noexcept;
  Usage CurrentUsage() const noexcept;

  // Fork handler: takes the locks of all heaps, as the child has none of the threads that may hold
  // them.
  static void LockAll() noexcept;
  static void UnlockAll() noexcept;

 private:
  // Free extents as pairs of size and place.
  using FreeExtents = std::set<std::pair<size_t, size_t>>;
  struct Extent {
    size_t size;
    // Node for this extent's entry in free_ while it is a block, so that Free() allocates nothing.
    FreeExtents::node_type kept;
    bool is_free() const { return kept.empty(); }
  };
  using Extents = std::map<size_t, Extent>;

  static FreeExtents::node_type NewNode();
  bool Grow(size_t size);
  void MakeFree(Extents::iterator extent) noexcept;
  void TakePages(size_t place, size_t size) noexcept;
  void LeavePages(size_t place, size_t size) noexcept;
  size_t PlaceOf(const void* block) const noexcept;

  char* begin_ = nullptr;
  size_t most_ = 0;  // size of the range from begin_, in bytes
  void* mapped_ = nullptr;
  size_t mapped_size_ = 0;
  HugePageHeap* newer_ = nullptr;  // links in the list of all heaps
  HugePageHeap* older_ = nullptr;

  mutable std::mutex mutex_;
  size_t end_ = 0;   // end of the writable part, as offset from begin_
  Extents extents_;  // all extents below end_ by place, without gaps; no two free ones are adjacent
  FreeExtents free_;       // free extents of extents_
  size_t idle_pages_ = 0;  // number of resident pages without a block
  Usage usage_;
  struct Page {
    uint32_t used = 0;  // bytes of blocks in this page
    bool is_resident = false;
  };
  std::vector<Page> pages_;
};

// Returns the reason why madvise gets no huge pages, as the end of a sentence, or an empty string
// if it gets them. `folder` is /sys/kernel/mm/transparent_hugepage.
std::string WhyNoHugePages(const std::string& folder);

class HugePageAllocator final : public ROCKSDB_NAMESPACE::MemoryAllocator {
 public:
  // Smallest size that is allocated from the heap. Smaller blocks, such as data blocks and
  // partitions, come from malloc.
  static constexpr size_t kMinBytes = size_t{64} << 10;

  // `problem` is the reason why this allocator has no huge pages; empty if it has them.
  HugePageAllocator(size_t most_bytes, const std::string& problem);

  const char* Name() const override { return name_.c_str(); }
  void* Allocate(size_t size) override;
  void Deallocate(void* block) override;
  size_t UsableSize(void* block, size_t allocation_size) const override;

  HugePageHeap::Usage CurrentUsage() const noexcept { return heap_.CurrentUsage(); }

 private:
  HugePageHeap heap_;
  std::string name_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_HUGE_PAGES_H_
