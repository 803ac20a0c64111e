// The programs of binutils, which are run by their names.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_BINUTILS_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_BINUTILS_H_

#include <string>
#include <vector>

namespace winnow::inspect {

// Those of `names` that are in no folder of PATH.
std::vector<std::string> MissingPrograms(const std::vector<std::string>& names);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_BINUTILS_H_
