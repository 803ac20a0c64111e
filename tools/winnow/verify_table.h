// The table that `winnow verify` prints for people.

#ifndef WINNOW_TOOLS_WINNOW_VERIFY_TABLE_H_
#define WINNOW_TOOLS_WINNOW_VERIFY_TABLE_H_

#include <string>
#include <vector>

#include "src/inspect/verify_file.h"

namespace winnow::tools {

// A row for each file, then faults, remarks and errors as sentences, then the sum. Ends with a
// newline.
std::string VerifyTable(const std::vector<inspect::FileVerdict>& files);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_VERIFY_TABLE_H_
