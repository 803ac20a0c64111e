// Detects sanitizers that must be in the whole program.

#ifndef WINNOW_TESTS_SUPPORT_SANITIZED_H_
#define WINNOW_TESTS_SUPPORT_SANITIZED_H_

#include <gtest/gtest.h>

namespace winnow::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Skips tests that preload a library into programs of other builds.
#define WINNOW_SKIP_IF_SANITIZED()                                                         \
  if (::winnow::testing::kSanitized) {                                                     \
    GTEST_SKIP()                                                                           \
        << "skipped: the program that it preloads into is built without the sanitizer of " \
           "the library";                                                                  \
  }

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_SANITIZED_H_
