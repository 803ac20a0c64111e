// Findings of `winnow verify`, as JSON and as a table.

#ifndef WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_
#define WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/winnow/verify/verify_file.h"

namespace winnow::inspect {

// The document of schema winnow.verify/1, with a newline at its end. trees_read: false if databases
// may have further files.
std::string VerifyJson(const std::vector<FileVerdict>& files,
                       const std::vector<std::string>& warnings, bool trees_read);

}  // namespace winnow::inspect

namespace winnow::tools {

// A row for each file and one for all, then faults, remarks and what was left out as sentences; why
// a file could not be read is for others to say. Ends with a newline. trees_read: false if
// databases may have further files. width: as for FittedTable. most_rows: if there are more files,
// only those with faults or errors have rows, and no more than that.
std::string VerifyTable(const std::vector<inspect::FileVerdict>& files, bool trees_read,
                        size_t width, size_t most_rows);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_VERIFY_VERIFY_JSON_H_
