// What `winnow probe` prints for people.

#ifndef WINNOW_TOOLS_WINNOW_PROBE_TEXT_H_
#define WINNOW_TOOLS_WINNOW_PROBE_TEXT_H_

#include <string>
#include <vector>

#include "src/inspect/probe_file.h"

namespace winnow::tools {

// For each key the files that may hold it, then remarks and errors as sentences, then the sum. Ends
// with a newline.
std::string ProbeText(const std::vector<inspect::ProbedKey>& keys,
                      const std::vector<inspect::FileProbe>& files);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_PROBE_TEXT_H_
