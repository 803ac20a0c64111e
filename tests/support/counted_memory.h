// Allocations that are counted and can be made to fail. counted_memory.cc replaces operator new.

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

// Bytes currently allocated, including the allocator's overhead per block, and the maximum since a
// test reset it. The maximum is exact for one thread at a time.
inline std::atomic<size_t> bytes_in_use{0};
inline std::atomic<size_t> most_bytes_in_use{0};

// Number of allocations of this thread that may still succeed; negative: unlimited.
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
