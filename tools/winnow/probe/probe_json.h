// Results of `winnow probe`, as JSON and as text.

#ifndef WINNOW_TOOLS_WINNOW_PROBE_PROBE_JSON_H_
#define WINNOW_TOOLS_WINNOW_PROBE_PROBE_JSON_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/winnow/probe/probe_file.h"

namespace winnow::inspect {

// Results for all files.
struct ProbeReport {
  std::vector<ProbedKey> keys;
  std::optional<ProbedRange> range;
  std::vector<FileProbe> files;
  bool exact = false;                 // --exact was given
  bool trees_read = true;             // false if the databases may have further files
  std::vector<std::string> warnings;  // sentences

  // Number of files that may have any key, as they could not be read.
  size_t not_asked() const;

  // Returns true if keys that are hits of no file are in no file of the databases.
  bool has_all() const { return trees_read && not_asked() == 0; }
};

// Returns a document of schema winnow.probe/1, which ends with a newline.
std::string ProbeJson(const ProbeReport& report);

}  // namespace winnow::inspect

namespace winnow::tools {

// Returns, for each key and then for the range, the files that may have it, and the unreadable
// files if they may have it; then remarks and faults as sentences, then the sum. Ends with a
// newline.
std::string ProbeText(const inspect::ProbeReport& report);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_PROBE_PROBE_JSON_H_
