// CPU time of a thread.

#ifndef WINNOW_SRC_BASE_THREAD_TIME_H_
#define WINNOW_SRC_BASE_THREAD_TIME_H_

#include <time.h>

#include <cstdint>

namespace winnow {

// Returns the CPU time of this thread in nanoseconds, which excludes other programs.
inline uint64_t ThreadNanoseconds() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace winnow

#endif  // WINNOW_SRC_BASE_THREAD_TIME_H_
