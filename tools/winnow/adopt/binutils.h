// Programs of binutils, which are found by PATH.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_BINUTILS_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_BINUTILS_H_

#include <string>
#include <vector>

namespace winnow::inspect {

// Returns those of `names` that are in no folder of PATH.
std::vector<std::string> MissingPrograms(const std::vector<std::string>& names);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_BINUTILS_H_
