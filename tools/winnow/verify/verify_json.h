// Results of `winnow verify`, as JSON and as a table.

#ifndef WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_
#define WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/winnow/verify/verify_file.h"

namespace winnow::inspect {

// Returns a document of schema winnow.verify/1, which ends with a newline. `trees_read` is false if
// the databases may have further files.
std::string VerifyJson(const std::vector<FileVerdict>& files,
                       const std::vector<std::string>& warnings, bool trees_read);

}  // namespace winnow::inspect

namespace winnow::tools {

// Returns a table with a row per file and a row of sums, then faults, remarks and omissions as
// sentences; errors of unreadable files are left to the caller. Ends with a newline. `trees_read`
// is false if the databases may have further files. `width` is as for FittedTable(). If there are
// more than `most_rows` files, only those with faults or errors have rows, at most `most_rows`.
std::string VerifyTable(const std::vector<inspect::FileVerdict>& files, bool trees_read,
                        size_t width, size_t most_rows);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_
