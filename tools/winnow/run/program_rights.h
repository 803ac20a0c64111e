// Checks whether a program runs with other privileges than its caller, in which case the loader
// ignores LD_PRELOAD.

#ifndef WINNOW_TOOLS_WINNOW_RUN_PROGRAM_RIGHTS_H_
#define WINNOW_TOOLS_WINNOW_RUN_PROGRAM_RIGHTS_H_

#include <string>

namespace winnow::inspect {

// Returns the rest of a sentence that begins with the file's name if the kernel would set
// AT_SECURE, with what to do; else an empty string.
std::string WhyOnGuard(const std::string& path);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_PROGRAM_RIGHTS_H_
