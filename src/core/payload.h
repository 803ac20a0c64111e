// The bytes of a block while it is built.

#ifndef WINNOW_SRC_CORE_PAYLOAD_H_
#define WINNOW_SRC_CORE_PAYLOAD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace winnow::core {

// A buffer that grows at its end. Unlike std::vector's, its bytes become a FilterBlock without a
// copy, and room that is reserved but not used is never touched.
class Payload {
 public:
  // The bytes lie at a multiple of `alignment`, a power of two up to 64, until they are released or
  // grow beyond the capacity. That is worth it where they are written in blocks of that size at
  // random places: moving them to their beginning afterwards costs a fraction of what stores
  // across cache lines do.
  explicit Payload(size_t capacity, size_t alignment = 1)
      : memory_(new char[capacity + alignment - 1]), capacity_(capacity) {
    before_ = (alignment - reinterpret_cast<uintptr_t>(memory_.get()) % alignment) % alignment;
  }

  // `size` bytes of zero at the end. Valid until the next call.
  unsigned char* Append(size_t size) {
    if (size > capacity_ - size_) {
      const size_t capacity = std::max(size_ + size, capacity_ + capacity_ / 4);
      std::unique_ptr<char[]> larger(new char[capacity]);
      std::memcpy(larger.get(), data(), size_);
      memory_ = std::move(larger);
      before_ = 0;
      capacity_ = capacity;
    }
    unsigned char* end = data() + size_;
    std::memset(end, 0, size);
    size_ += size;
    return end;
  }

  // Forgets the bytes from `size` on.
  void Truncate(size_t size) noexcept { size_ = size; }

  size_t size() const noexcept { return size_; }
  unsigned char* data() noexcept {
    return reinterpret_cast<unsigned char*>(memory_.get()) + before_;
  }
  std::unique_ptr<char[]> Release() noexcept {
    if (before_ != 0) std::memmove(memory_.get(), data(), size_);
    return std::move(memory_);
  }

 private:
  std::unique_ptr<char[]> memory_;
  size_t before_;  // bytes of the memory that are not used
  size_t capacity_;
  size_t size_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_PAYLOAD_H_
