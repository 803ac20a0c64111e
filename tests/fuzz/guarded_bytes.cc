#include "tests/fuzz/guarded_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tests/fuzz/fuzz_target.h"

namespace winnow::fuzz {

GuardedBytes::GuardedBytes(size_t room)
    : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))), room_((room + page_ - 1) / page_ * page_) {
  void* const mapped =
      mmap(nullptr, room_ + 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  WINNOW_FUZZ_CHECK(mapped != MAP_FAILED, "no memory");
  first_ = static_cast<char*>(mapped) + page_;
  WINNOW_FUZZ_CHECK(mprotect(first_ - page_, page_, PROT_NONE) == 0, "no guard");
  WINNOW_FUZZ_CHECK(mprotect(first_ + room_, page_, PROT_NONE) == 0, "no guard");
}

GuardedBytes::~GuardedBytes() { munmap(first_ - page_, room_ + 2 * page_); }

std::string_view GuardedBytes::AtBegin(std::string_view bytes) {
  WINNOW_FUZZ_CHECK(bytes.size() <= room_, "%zu bytes", bytes.size());
  if (!bytes.empty()) std::memcpy(first_, bytes.data(), bytes.size());
  return {first_, bytes.size()};
}

std::string_view GuardedBytes::AtEnd(std::string_view bytes) {
  WINNOW_FUZZ_CHECK(bytes.size() <= room_, "%zu bytes", bytes.size());
  char* const begin = first_ + room_ - bytes.size();
  if (!bytes.empty()) std::memcpy(begin, bytes.data(), bytes.size());
  return {begin, bytes.size()};
}

}  // namespace winnow::fuzz
