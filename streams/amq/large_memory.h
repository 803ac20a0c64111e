// Huge-page memory for arrays with random access.
//
// An array of some MiB has more pages of 4 KiB than the processor's TLB has entries, and most reads
// miss the TLB. Arrays of 2 MiB and more are therefore aligned to 2 MiB, and the system is advised
// to use pages of that size (Linux: transparent huge pages, if
// /sys/kernel/mm/transparent_hugepage/enabled is "madvise" or "always").

#ifndef WINNOW_STREAMS_AMQ_LARGE_MEMORY_H_
#define WINNOW_STREAMS_AMQ_LARGE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace winnow::amq {

// Maximum size in bytes of an array that is assumed to be in the processor's own caches:
// prefetching it would take more time than it saves.
inline constexpr size_t kBytesInCaches = size_t{2} << 20;

// Allocates memory aligned to 64 bytes; throws std::bad_alloc. AllocateLarge() returns zeroed
// memory, AllocateLargeUnset() uninitialized memory. Huge pages are requested only for whole pages
// of 2 MiB, so that an array takes no more memory. FreeLarge() frees the memory of both.
void* AllocateLarge(size_t bytes);
void* AllocateLargeUnset(size_t bytes);
void FreeLarge(void* memory) noexcept;

// Advises huge pages for memory from another allocator, as far as whole huge pages lie in it. Best
// called before the memory is first written.
void AskForHugePages(void* memory, size_t bytes) noexcept;

// An array in memory of AllocateLarge(), freed at the end of its scope.
template <typename Value>
class LargeArray {
 public:
  static LargeArray Zeroes(size_t n) { return LargeArray(AllocateLarge(BytesOf(n))); }
  static LargeArray Unset(size_t n) { return LargeArray(AllocateLargeUnset(BytesOf(n))); }
  Value& operator[](size_t i) noexcept { return values_.get()[i]; }
  const Value& operator[](size_t i) const noexcept { return values_.get()[i]; }

 private:
  explicit LargeArray(void* memory) : values_(static_cast<Value*>(memory)) {}
  static size_t BytesOf(size_t n) {
    if (n > SIZE_MAX / sizeof(Value)) throw std::bad_alloc();
    return n * sizeof(Value);
  }

  struct Free {
    void operator()(Value* values) const noexcept { FreeLarge(values); }
  };
  std::unique_ptr<Value, Free> values_;
};

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_LARGE_MEMORY_H_
