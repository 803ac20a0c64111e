// What `winnow probe` found as JSON: for others, and from a worker process to its parent.

#ifndef WINNOW_SRC_INSPECT_PROBE_JSON_H_
#define WINNOW_SRC_INSPECT_PROBE_JSON_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/inspect/probe_file.h"

namespace winnow::inspect {

// The document of schema winnow.probe/1, with a newline at its end. exact: whether entries were
// asked for.
std::string ProbeJson(const std::vector<ProbedKey>& keys, const std::vector<FileProbe>& files,
                      bool exact, const std::vector<std::string>& warnings);

// All of a probe but path and level, in bytes of no use elsewhere, and back; nothing from other
// bytes.
std::string PackProbe(const FileProbe& probe);
std::optional<FileProbe> UnpackProbe(std::string_view bytes);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_PROBE_JSON_H_
