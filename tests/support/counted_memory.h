// Allocations that are counted, and that fail when a test says so. It replaces operator new:
// include it in one source of a program.

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

// Not inlined: the compiler would see memory of new go to free().
__attribute__((noinline)) void* operator new(std::size_t size) {
  return winnow::testing::OrThrow(winnow::testing::Allocate(size));
}
__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return winnow::testing::Allocate(size);
}
__attribute__((noinline)) void* operator new(std::size_t size, std::align_val_t alignment) {
  return winnow::testing::OrThrow(
      winnow::testing::Allocate(size, static_cast<std::size_t>(alignment)));
}
__attribute__((noinline)) void operator delete(void* block) noexcept {
  if (block != nullptr) winnow::testing::bytes_in_use -= winnow::testing::SizeOf(block);
  std::free(block);
}
__attribute__((noinline)) void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}
__attribute__((noinline)) void operator delete(void* block, std::align_val_t) noexcept {
  operator delete(block);
}
__attribute__((noinline)) void operator delete(void* block, std::size_t,
                                               std::align_val_t) noexcept {
  operator delete(block);
}

#endif  // WINNOW_TESTS_SUPPORT_COUNTED_MEMORY_H_
