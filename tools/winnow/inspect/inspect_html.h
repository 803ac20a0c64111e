// What `winnow inspect` found as a page.

#ifndef WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_HTML_H_
#define WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_HTML_H_

#include <string>
#include <vector>

#include "tools/winnow/inspect/inspect_report.h"

namespace winnow::inspect {

// One page that needs nothing else: sums, charts of bytes and rates by level and kind, advice, and
// a row for each file that is listed. `paths` are those that were asked for.
std::string InspectHtml(const InspectReport& report, const std::vector<std::string>& paths);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_HTML_H_
