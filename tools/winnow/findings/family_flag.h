// The flag --cf, which several verbs take.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_FAMILY_FLAG_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_FAMILY_FLAG_H_

#include <string>
#include <vector>

#include "tools/winnow/cli/flags.h"

namespace winnow::tools {

extern const Flag kFamilyFlag;

// What --cf names, each mention as it is: for inspect::FamiliesNamed; empty: all.
std::vector<std::string> FamiliesOfFlags();

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_FAMILY_FLAG_H_
