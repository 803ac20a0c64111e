// Runs programs and captures their output.

#ifndef WINNOW_TESTS_SUPPORT_CHILD_PROCESS_H_
#define WINNOW_TESTS_SUPPORT_CHILD_PROCESS_H_

#include <spawn.h>

#include <string>
#include <vector>

namespace winnow::testing {

struct ChildResult {
  int status = -1;  // exit status; 128 + n if killed by signal n
  std::string output;
  std::string errors;  // stderr
};

// Runs a program and waits for its end. The program is searched for in PATH unless its name has a
// slash. Its environment is that of this process plus `environment`, as NAME=VALUE. Throws
// std::runtime_error if the program can't be started.
ChildResult RunProgram(const std::vector<std::string>& command,
                       const std::vector<std::string>& environment = {});

// Restores default signal actions in a child, so that it can be interrupted like a foreground
// process even if the tests run in a shell's background or under nohup, which ignore SIGINT or
// SIGHUP. RunProgram does so.
void DefaultSignals(posix_spawnattr_t* attributes);

// Returns the lines of a text that begin with `start`.
std::vector<std::string> LinesThatBegin(const std::string& text, const std::string& start);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_CHILD_PROCESS_H_
