// The flags of `winnow inspect`.

#ifndef WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_FLAGS_H_
#define WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_FLAGS_H_

#include <absl/flags/declare.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tools/winnow/inspect/inspect_report.h"

ABSL_DECLARE_FLAG(bool, inspect_csv);
ABSL_DECLARE_FLAG(std::string, inspect_html);
ABSL_DECLARE_FLAG(std::optional<uint64_t>, inspect_limit);
ABSL_DECLARE_FLAG(bool, inspect_summary);

namespace winnow::tools {

// As --cf, --level, --sort, --limit and --summary say.
inspect::FileSelection SelectionOfFlags();

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_INSPECT_INSPECT_FLAGS_H_
