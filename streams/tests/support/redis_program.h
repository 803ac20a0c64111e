// Which server tests of Redis run, and which client: Redis, or else Valkey; or the programs that
// WINNOW_REDIS_SERVER and WINNOW_REDIS_CLI name.

#ifndef WINNOW_STREAMS_TESTS_SUPPORT_REDIS_PROGRAM_H_
#define WINNOW_STREAMS_TESTS_SUPPORT_REDIS_PROGRAM_H_

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/child_process.h"

namespace winnow::testing {

// The first of these programs that is there; empty if none is. A program that the variable names
// is the only one then.
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

}  // namespace winnow::testing

#endif  // WINNOW_STREAMS_TESTS_SUPPORT_REDIS_PROGRAM_H_
