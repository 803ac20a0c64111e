// Preloaded together with Winnow: makes CLOCK_MONOTONIC run 10,000 times as fast, for tests of
// ten-minute intervals. Timed waits use another clock.

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
                                                                    timespec* time) noexcept {
  const int result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (result != 0 || clock != CLOCK_MONOTONIC) return result;
  static std::atomic<int64_t> first{0};
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t now = time->tv_sec * kSecond + time->tv_nsec;
  int64_t begin = 0;
  if (first.compare_exchange_strong(begin, now)) begin = now;
  const int64_t faster = begin + (now - begin) * 10'000;
  time->tv_sec = faster / kSecond;
  time->tv_nsec = faster % kSecond;
  return 0;
}
