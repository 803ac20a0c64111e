// Running a program and looking at what it says.

#ifndef WINNOW_TESTS_SUPPORT_CHILD_PROCESS_H_
#define WINNOW_TESTS_SUPPORT_CHILD_PROCESS_H_

#include <spawn.h>

#include <string>
#include <vector>

namespace winnow::testing {

struct ChildResult {
  int status = -1;  // of its exit; 128 + n if signal n ended it
  std::string output;
  std::string errors;  // what it wrote to stderr
};

// Runs the program, found by PATH unless its name has a slash, with this process's environment and
// what is given in addition, each as NAME=VALUE; waits until it ended. Throws std::runtime_error if
// it can't be started.
ChildResult RunProgram(const std::vector<std::string>& command,
                       const std::vector<std::string>& environment = {});

// Has a program be interrupted as in the foreground, also where tests run in a shell's background
// or under nohup, which ignore SIGINT or SIGHUP. RunProgram does so.
void DefaultSignals(posix_spawnattr_t* attributes);

// The lines of a text that begin with `start`.
std::vector<std::string> LinesThatBegin(const std::string& text, const std::string& start);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_CHILD_PROCESS_H_
