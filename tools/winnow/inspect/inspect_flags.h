// The flags of `winnow inspect` that say which files, and in which order.

#ifndef WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_FLAGS_H_
#define WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_FLAGS_H_

#include <absl/flags/declare.h>

#include <cstdint>
#include <optional>

#include "tools/winnow/inspect/inspect_report.h"

ABSL_DECLARE_FLAG(std::optional<uint64_t>, limit);
ABSL_DECLARE_FLAG(bool, summary);

namespace winnow::tools {

// As --cf, --level, --sort, --limit and --summary say.
inspect::FileSelection SelectionOfFlags();

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_FLAGS_H_
