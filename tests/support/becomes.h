// Waits for a condition, with a timeout that busy machines don't reach.

#ifndef WINNOW_TESTS_SUPPORT_BECOMES_H_
#define WINNOW_TESTS_SUPPORT_BECOMES_H_

#include <chrono>
#include <thread>

namespace winnow::testing {

// Returns true once `holds` is true, or false at the timeout; checks at first, and after each
// pause.
template <typename Condition>
bool Becomes(const Condition& holds, std::chrono::microseconds pause = std::chrono::milliseconds(5),
             std::chrono::minutes at_most = std::chrono::minutes(2)) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_BECOMES_H_
