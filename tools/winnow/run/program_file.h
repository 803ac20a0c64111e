// The file that a command executes, and whether the dynamic loader would preload Winnow's library
// into it.

#ifndef WINNOW_TOOLS_WINNOW_RUN_PROGRAM_FILE_H_
#define WINNOW_TOOLS_WINNOW_RUN_PROGRAM_FILE_H_

#include <string>
#include <vector>

namespace winnow::inspect {

struct ProgramFile {
  std::string path;  // path for execve(); empty if there is no such program

  // The interpreter of a script, the interpreter's own interpreter, and so on.
  std::vector<std::string> interpreters;

  // Sentences that say why the program can't be executed, or not with a library preloaded, and what
  // to do; else empty.
  std::string problem;
  bool is_missing = false;  // the problem is a missing file

  // Sentence on what could not be checked, so that the loader may still ignore the library; may be
  // empty.
  std::string unknown;
};

// Finds the program of a command, its first word, by PATH as execvp() does, and examines it and its
// interpreters, but not what these start. The preloaded library is for this program's machine, C
// library and loader. Executes nothing.
ProgramFile FindProgram(const std::vector<std::string>& command);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_PROGRAM_FILE_H_
