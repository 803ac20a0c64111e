// What `winnow probe` prints for people.

#ifndef WINNOW_TOOLS_WINNOW_PROBE_PROBE_TEXT_H_
#define WINNOW_TOOLS_WINNOW_PROBE_PROBE_TEXT_H_

#include <string>

#include "tools/winnow/probe/probe_json.h"

namespace winnow::tools {

// For each key the files that may hold it, and what could not be read if it may be there as well;
// then remarks and faults as sentences, then the sum. Ends with a newline.
std::string ProbeText(const inspect::ProbeReport& report);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_PROBE_PROBE_TEXT_H_
