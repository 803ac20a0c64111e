#include "src/amq/large_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace winnow::amq {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

void* AllocateLargeUnset(size_t bytes) {
  const bool large = bytes >= kHugePage;
  void* memory = nullptr;
  if (posix_memalign(&memory, large ? kHugePage : kLine, bytes) != 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  // Before anything is written, so that the pages come as huge ones. Only those that are whole: the
  // rest of the last one would be memory that nobody asked for. A refusal costs speed only.
  if (large) madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
  return memory;
}

void* AllocateLarge(size_t bytes) { return std::memset(AllocateLargeUnset(bytes), 0, bytes); }

void FreeLarge(void* memory) noexcept { std::free(memory); }

}  // namespace winnow::amq
