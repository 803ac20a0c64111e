// Bytes of a block under construction.

#ifndef WINNOW_SRC_CORE_PAYLOAD_H_
#define WINNOW_SRC_CORE_PAYLOAD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace winnow::core {

// A buffer that grows at its end. Unlike a std::vector, it becomes a FilterBlock without a copy,
// and reserved but unused room is never touched.
class Payload {
 public:
  // The bytes are aligned to `alignment`, a power of two up to 64, until they are released or grow
  // beyond the capacity. Alignment pays off if blocks of this size are written at random: moving
  // the bytes to their final place costs a fraction of the stores across cache lines.
  explicit Payload(size_t capacity, size_t alignment = 1)
      : Payload(capacity, alignment, nullptr, 0) {}

  // Uses `room` bytes at `callers` if there are enough. If the final bytes fit, Release leaves them
  // there.
  Payload(size_t capacity, size_t alignment, char* callers, size_t room)
      : callers_(callers), callers_size_(room), memory_(callers), capacity_(room) {
    if (room < capacity) {
      own_.reset(new char[capacity + alignment - 1]);
      memory_ = own_.get();
      capacity_ = capacity;
    }
    const size_t odd = reinterpret_cast<uintptr_t>(memory_) % alignment;
    before_ = odd != 0 ? alignment - odd : 0;
    if (own_ == nullptr) {
      if (before_ > room - capacity) before_ = 0;  // unaligned is better than in another buffer
      capacity_ -= before_;
    }
  }

  // Appends `size` zero bytes and returns them. Valid until the next call.
  unsigned char* Append(size_t size) {
    if (size > capacity_ - size_) {
      const size_t capacity = std::max(size_ + size, capacity_ + capacity_ / 4);
      std::unique_ptr<char[]> larger(new char[capacity]);
      if (size_ != 0) std::memcpy(larger.get(), data(), size_);
      own_ = std::move(larger);
      memory_ = own_.get();
      before_ = 0;
      capacity_ = capacity;
    }
    unsigned char* end = data() + size_;
    std::memset(end, 0, size);
    size_ += size;
    return end;
  }

  // Drops the bytes from `size` on.
  void Truncate(size_t size) noexcept { size_ = size; }

  size_t size() const noexcept { return size_; }
  unsigned char* data() noexcept { return reinterpret_cast<unsigned char*>(memory_) + before_; }

  // Moves the bytes to the beginning of their memory, and returns the memory, or null if it is the
  // caller's.
  std::unique_ptr<char[]> Release() noexcept {
    if (callers_ != nullptr && size_ <= callers_size_) {
      std::memmove(callers_, data(), size_);
      return nullptr;
    }
    if (before_ != 0) std::memmove(memory_, data(), size_);
    return std::move(own_);
  }

 private:
  char* callers_ = nullptr;  // destination of the bytes; null: any
  size_t callers_size_ = 0;
  std::unique_ptr<char[]> own_;  // null while the bytes are in the caller's memory
  char* memory_;
  size_t before_ = 0;  // unused bytes at the start of memory_
  size_t capacity_;
  size_t size_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_PAYLOAD_H_
