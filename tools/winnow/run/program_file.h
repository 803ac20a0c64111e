// The file that a command executes, and whether the dynamic loader would preload Winnow's library
// into it.

#ifndef WINNOW_TOOLS_WINNOW_RUN_PROGRAM_FILE_H_
#define WINNOW_TOOLS_WINNOW_RUN_PROGRAM_FILE_H_

#include <string>
#include <vector>

namespace winnow::inspect {

// A file that a program leads to.
struct NextFile {
  std::string path;
  // Executed by the file before it, as by env; else the interpreter of that file, a script.
  bool is_started = false;
};

struct ProgramFile {
  std::string path;  // path for execve(); empty if there is no such program

  // The interpreter of a script, the interpreter's own interpreter, and so on; after a wrapper such
  // as env or nice, the program that the wrapper executes.
  std::vector<NextFile> next;

  // Sentences that say why the program can't be executed, or not with a library preloaded, and what
  // to do; else empty.
  std::string problem;
  bool is_missing = false;  // the problem is a missing file

  // Sentence on what could not be checked, so that the loader may still ignore the library; may be
  // empty.
  std::string unknown;
};

// Finds the program of a command, its first word, by PATH as execvp() does, and examines the
// program, its interpreters, and the programs that known wrappers execute. The preloaded library is
// for this program's machine, C library and loader. Executes nothing.
ProgramFile FindProgram(const std::vector<std::string>& command);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_PROGRAM_FILE_H_
