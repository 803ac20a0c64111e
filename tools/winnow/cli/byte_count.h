// Numbers of bytes, as people write them (as they read them: src/text/numbers.h).

#ifndef WINNOW_TOOLS_WINNOW_CLI_BYTE_COUNT_H_
#define WINNOW_TOOLS_WINNOW_CLI_BYTE_COUNT_H_

#include <absl/strings/string_view.h>

#include <cstdint>
#include <optional>

namespace winnow::tools {

// "256MiB", "64KB", "1.5 GiB", "1000000", "1e6": KB, MB, GB and TB are powers of 1000, KiB, MiB,
// GiB and TiB of 1024, in any case of letters. Unset for anything else, 0 and what is below it.
std::optional<double> ParseByteCount(absl::string_view text);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_BYTE_COUNT_H_
