// Bytes between two pages that can't be read, since the address sanitizer does not see loads under
// a mask: a reader that leaves them on the side where they touch a page ends with SIGSEGV.

#ifndef WINNOW_TESTS_FUZZ_GUARDED_BYTES_H_
#define WINNOW_TESTS_FUZZ_GUARDED_BYTES_H_

#include <cstddef>
#include <string_view>

namespace winnow::fuzz {

class GuardedBytes {
 public:
  // Room for so many bytes. Ends the process where there is no memory.
  explicit GuardedBytes(size_t room);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  // Copies the bytes to where they touch the page before them, or the one behind them. What was
  // there is gone.
  std::string_view AtBegin(std::string_view bytes);
  std::string_view AtEnd(std::string_view bytes);

 private:
  size_t page_;
  size_t room_;  // in whole pages
  char* first_ = nullptr;
};

}  // namespace winnow::fuzz

#endif  // WINNOW_TESTS_FUZZ_GUARDED_BYTES_H_
