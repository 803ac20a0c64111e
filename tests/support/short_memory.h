// Allocations that fail when a test says so. It replaces operator new: include it in one source of
// a program.

#ifndef WINNOW_TESTS_SUPPORT_SHORT_MEMORY_H_
#define WINNOW_TESTS_SUPPORT_SHORT_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace winnow::testing {

// Allocations of this thread that may still succeed; negative: all.
inline thread_local int64_t allocations_left = -1;

inline void* Allocate(std::size_t size) {
  if (allocations_left == 0) {
    return nullptr;
  }
  if (allocations_left > 0) {
    --allocations_left;
  }
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace winnow::testing

// Not inlined: the compiler would see memory of new go to free().
__attribute__((noinline)) void* operator new(std::size_t size) {
  void* const memory = winnow::testing::Allocate(size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}
__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return winnow::testing::Allocate(size);
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#endif  // WINNOW_TESTS_SUPPORT_SHORT_MEMORY_H_
