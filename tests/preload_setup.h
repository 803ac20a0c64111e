// Running programs with the interposer preloaded.

#ifndef WINNOW_TESTS_PRELOAD_SETUP_H_
#define WINNOW_TESTS_PRELOAD_SETUP_H_

#include <string>
#include <vector>

#include "tests/child_process.h"
#include "tests/sanitized.h"

namespace winnow::testing {

// The variables that preload the libraries (into this one program: they are given to it alone) and
// ask for the policy.
inline std::vector<std::string> Preloading(const std::vector<std::string>& more,
                                           const std::string& libraries = PRELOAD_LIBRARY) {
  std::vector<std::string> environment = {"LD_PRELOAD=" + libraries};
  if (kSanitized) {
    // Sanitizers' libraries want to be the first.
    environment.emplace_back("ASAN_OPTIONS=verify_asan_link_order=0");
  }
  environment.insert(environment.end(), more.begin(), more.end());
  return environment;
}

inline ChildResult RunClient(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment) {
  std::vector<std::string> command = {PRELOAD_CLIENT};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command, environment);
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_PRELOAD_SETUP_H_
