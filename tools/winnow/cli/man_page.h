// Manual pages of the same text as help.

#ifndef WINNOW_TOOLS_WINNOW_CLI_MAN_PAGE_H_
#define WINNOW_TOOLS_WINNOW_CLI_MAN_PAGE_H_

#include <string>

#include "tools/winnow/cli/verbs.h"

namespace winnow::tools {

// In roff, with the macros of man(7): winnow(1), and winnow-VERB(1).
std::string OverallManPage();
std::string VerbManPage(const Verb& verb);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_MAN_PAGE_H_
