// Programs of the server and client in tests: those of Redis, else of Valkey, or those named by
// WINNOW_REDIS_SERVER and WINNOW_REDIS_CLI.

#ifndef WINNOW_STREAMS_TESTS_SUPPORT_REDIS_PROGRAM_H_
#define WINNOW_STREAMS_TESTS_SUPPORT_REDIS_PROGRAM_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/child_process.h"

namespace winnow::testing {

// Returns the first of these programs that exists, or an empty string. If the variable is set, only
// its program is used.
inline std::string ProgramOf(const char* variable, std::vector<std::string> programs) {
  if (const char* const said = getenv(variable); said != nullptr) programs = {said};
  for (const std::string& program : programs) {
    if (RunProgram({"sh", "-c", "command -v \"$0\"", program}).status == 0) return program;
  }
  return "";
}

inline const std::string& RedisServerProgram() {
  static const std::string program =
      ProgramOf("WINNOW_REDIS_SERVER", {"redis-server", "valkey-server"});
  return program;
}

inline const std::string& RedisCliProgram() {
  static const std::string program = ProgramOf("WINNOW_REDIS_CLI", {"redis-cli", "valkey-cli"});
  return program;
}

inline bool HasRedis() { return !RedisServerProgram().empty() && !RedisCliProgram().empty(); }

// Fixture of tests with real servers.
class RedisTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasRedis()) GTEST_SKIP() << "there is neither Redis nor Valkey";
  }
};

}  // namespace winnow::testing

#endif  // WINNOW_STREAMS_TESTS_SUPPORT_REDIS_PROGRAM_H_
