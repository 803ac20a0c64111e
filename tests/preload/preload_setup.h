// Helpers that run programs with the interposer preloaded.

#ifndef WINNOW_TESTS_PRELOAD_PRELOAD_SETUP_H_
#define WINNOW_TESTS_PRELOAD_PRELOAD_SETUP_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/sanitized.h"

namespace winnow::testing {

// Returns a client with Winnow linked in, which adopt_test.sh tests instead of a preloaded one;
// null if the interposer is preloaded.
inline const char* AdoptedClient() { return std::getenv("ADOPTED_CLIENT"); }
constexpr char kInside[] = "WINNOW_IS_INSIDE=1";

// Returns variables that preload the libraries, only into the program that gets them, and `more`.
inline std::vector<std::string> Preloading(const std::vector<std::string>& more,
                                           const std::string& libraries = PRELOAD_LIBRARY) {
  std::vector<std::string> environment = {AdoptedClient() == nullptr ? "LD_PRELOAD=" + libraries
                                                                     : kInside};
  if (kSanitized) {
    // Sanitizers require that their library is loaded first.
    environment.emplace_back("ASAN_OPTIONS=verify_asan_link_order=0");
  }
  environment.insert(environment.end(), more.begin(), more.end());
  return environment;
}

// Returns the path of a program without knowledge of Winnow that uses this build's RocksDB: the
// distribution's, or one in the prefix of a self-built RocksDB, where it may be missing.
inline std::string RocksDBProgram(const std::string& name) { return ROCKSDB_PROGRAMS + name; }

// Skips the test if this build's RocksDB has no such program.
#define WINNOW_SKIP_WITHOUT(name)                                                              \
  do {                                                                                         \
    const std::string program = ::winnow::testing::RocksDBProgram(name);                       \
    if (program.front() == '/' && ::access(program.c_str(), X_OK) != 0) {                      \
      GTEST_SKIP() << "skipped: there is no " << program << " that uses this build's RocksDB"; \
    }                                                                                          \
  } while (false)

inline ChildResult RunClient(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment) {
  const bool is_inside =
      std::find(environment.begin(), environment.end(), kInside) != environment.end();
  std::vector<std::string> command = {is_inside ? AdoptedClient() : PRELOAD_CLIENT};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command, environment);
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_PRELOAD_PRELOAD_SETUP_H_
