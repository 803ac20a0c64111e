// The flags of `winnow inspect` that say which files, and in which order.

#ifndef WINNOW_TOOLS_WINNOW_INSPECT_FLAGS_H_
#define WINNOW_TOOLS_WINNOW_INSPECT_FLAGS_H_

#include "src/inspect/inspect_report.h"

namespace winnow::tools {

// As --cf, --level, --sort and --limit say.
inspect::FileSelection SelectionOfFlags();

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_INSPECT_FLAGS_H_
