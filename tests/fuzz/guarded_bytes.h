// Bytes between two inaccessible pages, since the address sanitizer does not check masked loads:
// reading beyond the side that touches a page raises SIGSEGV.

#ifndef WINNOW_TESTS_FUZZ_GUARDED_BYTES_H_
#define WINNOW_TESTS_FUZZ_GUARDED_BYTES_H_

#include <cstddef>
#include <string_view>

namespace winnow::fuzz {

class GuardedBytes {
 public:
  // Reserves room for `room` bytes. Aborts if out of memory.
  explicit GuardedBytes(size_t room);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  // Copy the bytes next to the page before or behind them. Overwrite the previous contents.
  std::string_view AtBegin(std::string_view bytes);
  std::string_view AtEnd(std::string_view bytes);

 private:
  size_t page_;
  size_t room_;  // whole pages
  char* first_ = nullptr;
};

}  // namespace winnow::fuzz

#endif  // WINNOW_TESTS_FUZZ_GUARDED_BYTES_H_
