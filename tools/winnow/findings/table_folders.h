// The flag --path: further folders in which a database has table files.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_TABLE_FOLDERS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_TABLE_FOLDERS_H_

#include <string>
#include <vector>

#include "tools/winnow/cli/flags.h"

namespace winnow::tools {

extern const Flag kPathFlag;

// Every folder that was named by --path=FOLDER, each once.
std::vector<std::string> TableFolders();

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_TABLE_FOLDERS_H_
