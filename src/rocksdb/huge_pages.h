// The memory allocator for block caches (winnow/rocksdb_huge_pages.h has what people should know).

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

// A heap in one range of addresses, for which the system is asked for huge pages. A block gets the
// smallest free place that holds it, and the lowest of these (best fit); free neighbours are
// joined. Safe from any thread, and in a child that is forked while other threads allocate.
class HugePageHeap {
 public:
  static constexpr size_t kPage = size_t{2} << 20;
  static constexpr size_t kGrain = 4096;  // blocks begin and end at multiples of it
  // So many pages without a block are kept, so that blocks that come and go do not cause a page
  // fault each.
  static constexpr size_t kMaxIdlePages = 8;

  struct Usage {
    size_t allocated = 0;  // bytes of all blocks
    size_t resident = 0;   // bytes of the pages that are in memory, if all are written to
  };

  // For at most so many bytes. They are only addresses at first, and no memory.
  explicit HugePageHeap(size_t most_bytes) noexcept;
  // All blocks must have been freed.
  ~HugePageHeap();
  HugePageHeap(const HugePageHeap&) = delete;
  HugePageHeap& operator=(const HugePageHeap&) = delete;

  // False if the addresses could not be reserved; then it allocates nothing.
  bool HasRange() const noexcept { return begin_ != nullptr; }

  // Null if there is no room or memory is short.
  void* Allocate(size_t size) noexcept;
  void Free(void* block) noexcept;
  bool Owns(const void* block) const noexcept;

  // The size of a block, in bytes.
  size_t SizeOf(const void* block) const noexcept;
  Usage CurrentUsage() const noexcept;

  // Takes the locks of all heaps before a fork: a child has none of the threads that may hold them.
  static void LockAll() noexcept;
  static void UnlockAll() noexcept;

 private:
  // By size and place.
  using FreeExtents = std::set<std::pair<size_t, size_t>>;
  struct Extent {
    size_t size;
    // While this is a block, the node for its entry in free_: so freeing needs no memory.
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
  size_t most_ = 0;  // bytes from begin_ on
  void* mapped_ = nullptr;
  size_t mapped_size_ = 0;
  HugePageHeap* newer_ = nullptr;  // of all that there are
  HugePageHeap* older_ = nullptr;

  mutable std::mutex mutex_;
  size_t end_ = 0;    // of what can be written to
  Extents extents_;   // all up to end_, by place, without gaps; free ones have no free neighbours
  FreeExtents free_;  // those that are
  size_t idle_pages_ = 0;  // resident and without a block
  Usage usage_;
  struct Page {
    uint32_t used = 0;  // bytes of blocks
    bool is_resident = false;
  };
  std::vector<Page> pages_;
};

// Why madvise gets no huge pages, as the end of a sentence; empty if it does. `folder` is
// /sys/kernel/mm/transparent_hugepage.
std::string WhyNoHugePages(const std::string& folder);

class HugePageAllocator final : public ROCKSDB_NAMESPACE::MemoryAllocator {
 public:
  // Smaller blocks come from malloc, such as data blocks and partitions.
  static constexpr size_t kMinBytes = size_t{64} << 10;

  // problem: why this allocator has no huge pages; empty: it has.
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
