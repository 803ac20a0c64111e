// Tells whether a program has other rights than who starts it: the loader ignores LD_PRELOAD then.

#ifndef WINNOW_TOOLS_WINNOW_RUN_PROGRAM_RIGHTS_H_
#define WINNOW_TOOLS_WINNOW_RUN_PROGRAM_RIGHTS_H_

#include <string>

namespace winnow::inspect {

// Says that the kernel gives the loader a sign of other rights (AT_SECURE), and what to do, as a
// sentence that the file's name begins. Empty: it gives none.
std::string WhyOnGuard(const std::string& path);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_PROGRAM_RIGHTS_H_
