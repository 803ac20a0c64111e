#include "tests/support/counted_memory.h"

// Not inlined, since the compiler would warn about free() of memory from operator new.
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
