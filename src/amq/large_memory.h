// Memory of arrays that are read at random places.
//
// In pages of 4 KiB, an array of some MiB has more pages than a processor keeps addresses of, and
// each read of it looks one up first. So arrays of 2 MiB and more begin at a multiple of that, and
// the system is asked for pages of that size (Linux: transparent huge pages, where
// /sys/kernel/mm/transparent_hugepage/enabled is "madvise" or "always").

#ifndef WINNOW_SRC_AMQ_LARGE_MEMORY_H_
#define WINNOW_SRC_AMQ_LARGE_MEMORY_H_

#include <cstddef>

namespace winnow::amq {

// Zeroes, at a multiple of 64. Throws std::bad_alloc. Not the system's whole last page more than
// asked for, so that what a filter takes is what it says.
void* AllocateLarge(size_t bytes);
void FreeLarge(void* memory) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_SRC_AMQ_LARGE_MEMORY_H_
