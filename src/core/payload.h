// The bytes of a block while it is built.

#ifndef WINNOW_SRC_CORE_PAYLOAD_H_
#define WINNOW_SRC_CORE_PAYLOAD_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

namespace winnow::core {

// A buffer that grows at its end. Unlike std::vector's, its bytes become a FilterBlock without a
// copy, and room that is reserved but not used is never touched.
class Payload {
 public:
  explicit Payload(size_t capacity) : data_(new char[capacity]), capacity_(capacity) {}

  // `size` bytes of zero at the end. Valid until the next call.
  unsigned char* Append(size_t size) {
    if (size > capacity_ - size_) {
      const size_t capacity = std::max(size_ + size, capacity_ + capacity_ / 4);
      std::unique_ptr<char[]> larger(new char[capacity]);
      std::memcpy(larger.get(), data_.get(), size_);
      data_ = std::move(larger);
      capacity_ = capacity;
    }
    char* end = data_.get() + size_;
    std::memset(end, 0, size);
    size_ += size;
    return reinterpret_cast<unsigned char*>(end);
  }

  // Forgets the bytes from `size` on.
  void Truncate(size_t size) noexcept { size_ = size; }

  size_t size() const noexcept { return size_; }
  unsigned char* data() noexcept { return reinterpret_cast<unsigned char*>(data_.get()); }
  std::unique_ptr<char[]> Release() noexcept { return std::move(data_); }

 private:
  std::unique_ptr<char[]> data_;
  size_t capacity_;
  size_t size_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_PAYLOAD_H_
