// What `winnow verify` found as JSON.

#ifndef WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_
#define WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_

#include <string>
#include <vector>

#include "tools/winnow/verify/verify_file.h"

namespace winnow::inspect {

// The document of schema winnow.verify/1, with a newline at its end. trees_read: false if databases
// may have further files.
std::string VerifyJson(const std::vector<FileVerdict>& files,
                       const std::vector<std::string>& warnings, bool trees_read);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_
