// What `winnow pages` says to people.

#ifndef WINNOW_TOOLS_WINNOW_PAGES_PAGES_TEXT_H_
#define WINNOW_TOOLS_WINNOW_PAGES_PAGES_TEXT_H_

#include <string>

#include "tools/winnow/pages/pages_json.h"

namespace winnow::tools {

// All but the faults.
std::string PagesText(const inspect::PagesReport& report);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_PAGES_PAGES_TEXT_H_
