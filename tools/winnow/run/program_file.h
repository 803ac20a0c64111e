// The file that a command starts, and whether the dynamic loader would preload a library of ours
// into it.

#ifndef WINNOW_TOOLS_WINNOW_RUN_PROGRAM_FILE_H_
#define WINNOW_TOOLS_WINNOW_RUN_PROGRAM_FILE_H_

#include <string>
#include <vector>

namespace winnow::inspect {

// Where a program leads to.
struct NextFile {
  std::string path;
  bool is_started = false;  // by the file before it, as by env; else it reads that one, a script
};

struct ProgramFile {
  std::string path;  // for execve; empty if there is no such program

  // The interpreter of a script, that one's interpreter, and so on; behind a program that starts
  // another one, as env and nice do, that one.
  std::vector<NextFile> next;

  // Why it can't be started, or not with a library preloaded: sentences, with what to do. Empty: it
  // can be.
  std::string problem;
  bool is_missing = false;  // the problem is that a file is not there

  // A sentence on what could not be found out, so that the library may be ignored all the same.
  // Empty: nothing.
  std::string unknown;
};

// Finds the program of a command, its first word, as execvp does, by PATH unless its name has a
// slash, and looks at it and at what reads it, and at what it starts by its other words, where that
// is known of it. The library that is to be preloaded is for this program's own machine, C library
// and loader. Starts nothing.
ProgramFile FindProgram(const std::vector<std::string>& command);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_PROGRAM_FILE_H_
