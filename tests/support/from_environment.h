// Numbers that the environment may set for longer runs.

#ifndef WINNOW_TESTS_SUPPORT_FROM_ENVIRONMENT_H_
#define WINNOW_TESTS_SUPPORT_FROM_ENVIRONMENT_H_

#include <cstdint>
#include <cstdlib>

namespace winnow::testing {

// Returns the number in an environment variable, or `otherwise` if it is not set.
inline uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_FROM_ENVIRONMENT_H_
