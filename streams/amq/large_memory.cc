#include "streams/amq/large_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace winnow::amq {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

void AskForHugePages(void* memory, size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  const uintptr_t last = (begin + bytes) / kHugePage * kHugePage;
  // Failure is ignored: huge pages only affect speed.
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

void* AllocateLargeUnset(size_t bytes) {
  const bool large = bytes >= kHugePage;
  void* memory = nullptr;
  if (posix_memalign(&memory, large ? kHugePage : kLine, bytes) != 0) throw std::bad_alloc();
  if (large) AskForHugePages(memory, bytes);
  return memory;
}

void* AllocateLarge(size_t bytes) { return std::memset(AllocateLargeUnset(bytes), 0, bytes); }

void FreeLarge(void* memory) noexcept { std::free(memory); }

}  // namespace winnow::amq
