// What `winnow verify` found as JSON: for others, and from a worker process to its parent.

#ifndef WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_
#define WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/winnow/verify/verify_file.h"

namespace winnow::inspect {

// The document of schema winnow.verify/1, with a newline at its end. trees_read: false if databases
// may have further files.
std::string VerifyJson(const std::vector<FileVerdict>& files,
                       const std::vector<std::string>& warnings, bool trees_read);

// All of a verdict but its path and column family, in bytes of no use elsewhere, and back; nothing
// from other bytes.
std::string PackVerdict(const FileVerdict& verdict);
std::optional<FileVerdict> UnpackVerdict(std::string_view bytes);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_
