// Running a command of the shell in a test.

#ifndef WINNOW_TESTS_RUN_COMMAND_H_
#define WINNOW_TESTS_RUN_COMMAND_H_

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace winnow::testing {

struct CommandResult {
  int exit_code = -1;  // 128 and the signal's number for a command that a signal ended
  std::string output;  // stdout and stderr
};

inline CommandResult RunCommand(const std::string& command) {
  CommandResult result;
  FILE* const pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "no shell for: " << command;
    return result;
  }
  char buffer[4096];
  for (size_t n = 0; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    result.output.append(buffer, n);
  }
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_RUN_COMMAND_H_
