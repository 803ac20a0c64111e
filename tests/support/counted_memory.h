// The bytes that operator new has given and that are not given back. It replaces operator new:
// include it in one source of a program.

#ifndef WINNOW_TESTS_SUPPORT_COUNTED_MEMORY_H_
#define WINNOW_TESTS_SUPPORT_COUNTED_MEMORY_H_

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace winnow::testing {

inline std::atomic<size_t> bytes_in_use{0};

// With what the allocator keeps beside it.
inline size_t SizeOf(void* block) { return malloc_usable_size(block) + sizeof(size_t); }

inline void* Counted(void* block) {
  if (block != nullptr) bytes_in_use += SizeOf(block);
  return block;
}

}  // namespace winnow::testing

// Not inlined: the compiler would see memory of new go to free().
__attribute__((noinline)) void* operator new(std::size_t size) {
  void* const block = winnow::testing::Counted(std::malloc(size == 0 ? 1 : size));
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return winnow::testing::Counted(std::malloc(size == 0 ? 1 : size));
}
__attribute__((noinline)) void operator delete(void* block) noexcept {
  if (block != nullptr) winnow::testing::bytes_in_use -= winnow::testing::SizeOf(block);
  std::free(block);
}
__attribute__((noinline)) void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}

#endif  // WINNOW_TESTS_SUPPORT_COUNTED_MEMORY_H_
