// Allocations that are counted, and that fail when a test says so. counted_memory.cc replaces
// operator new by them.

#ifndef WINNOW_TESTS_SUPPORT_COUNTED_MEMORY_H_
#define WINNOW_TESTS_SUPPORT_COUNTED_MEMORY_H_

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace winnow::testing {

// Bytes that are allocated now, with what the allocator keeps beside each block, and the most since
// a test set it. The most is right for one thread at a time.
inline std::atomic<size_t> bytes_in_use{0};
inline std::atomic<size_t> most_bytes_in_use{0};

// Allocations of this thread that may still succeed; negative: all.
inline thread_local int64_t allocations_left = -1;

inline size_t SizeOf(void* block) { return malloc_usable_size(block) + sizeof(size_t); }

inline void* Allocate(size_t size, size_t alignment = alignof(std::max_align_t)) noexcept {
  if (allocations_left == 0) return nullptr;
  if (allocations_left > 0) --allocations_left;
  void* const block =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(std::max<size_t>(size, 1))
          : std::aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
  if (block == nullptr) return nullptr;
  const size_t now = bytes_in_use += SizeOf(block);
  if (now > most_bytes_in_use) most_bytes_in_use = now;
  return block;
}

inline void* OrThrow(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_COUNTED_MEMORY_H_
