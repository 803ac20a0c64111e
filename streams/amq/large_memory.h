// Memory of arrays that are read at random places.
//
// In pages of 4 KiB, an array of some MiB has more pages than a processor keeps addresses of, and
// each read of it looks one up first. So arrays of 2 MiB and more begin at a multiple of that, and
// the system is asked for pages of that size (Linux: transparent huge pages, where
// /sys/kernel/mm/transparent_hugepage/enabled is "madvise" or "always").

#ifndef WINNOW_STREAMS_AMQ_LARGE_MEMORY_H_
#define WINNOW_STREAMS_AMQ_LARGE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace winnow::amq {

// An array of up to so many bytes is taken to be in a processor's own caches: reading ahead of use
// would take more time than it saves.
inline constexpr size_t kBytesInCaches = size_t{2} << 20;

// At a multiple of 64. Throw std::bad_alloc. Only whole pages of 2 MiB are asked for: an array
// takes no more memory for it. The first gives zeroes, the second whatever is there.
void* AllocateLarge(size_t bytes);
void* AllocateLargeUnset(size_t bytes);
void FreeLarge(void* memory) noexcept;

// Asks for the huge pages of memory that was allocated in another way: those that lie in it as a
// whole. Best before it is written for the first time.
void AskForHugePages(void* memory, size_t bytes) noexcept;

// Such an array, as long as it is in scope.
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
