// Findings of `winnow probe`, as JSON and for people.

#ifndef WINNOW_TOOLS_WINNOW_PROBE_PROBE_JSON_H_
#define WINNOW_TOOLS_WINNOW_PROBE_PROBE_JSON_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/winnow/probe/probe_file.h"

namespace winnow::inspect {

// Findings in all files.
struct ProbeReport {
  std::vector<ProbedKey> keys;
  std::optional<ProbedRange> range;
  std::vector<FileProbe> files;
  bool exact = false;                 // entries were asked for
  bool trees_read = true;             // else the databases may have further files
  std::vector<std::string> warnings;  // sentences

  // Files that may have any key, as they could not be read.
  size_t not_asked() const;

  // Returns whether what is in none of the files' hits is in none of the databases' files.
  bool has_all() const { return trees_read && not_asked() == 0; }
};

// The document of schema winnow.probe/1, with a newline at its end.
std::string ProbeJson(const ProbeReport& report);

}  // namespace winnow::inspect

namespace winnow::tools {

// For each key, and then the range, the files that may hold it, and what could not be read if it
// may be there as well; then remarks and faults as sentences, then the sum. Ends with a newline.
std::string ProbeText(const inspect::ProbeReport& report);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_PROBE_PROBE_JSON_H_
