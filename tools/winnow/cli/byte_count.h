// Parses numbers of bytes (src/text/numbers.h formats them).

#ifndef WINNOW_TOOLS_WINNOW_CLI_BYTE_COUNT_H_
#define WINNOW_TOOLS_WINNOW_CLI_BYTE_COUNT_H_

#include <absl/strings/string_view.h>

#include <cstdint>
#include <optional>

namespace winnow::tools {

// Parses "256MiB", "64KB", "1.5 GiB", "1000000" or "1e6": KB, MB, GB and TB are powers of 1000,
// KiB, MiB, GiB and TiB of 1024, in any case of letters. Returns nullopt for anything else and for
// numbers below 1.
std::optional<double> ParseByteCount(absl::string_view text);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_BYTE_COUNT_H_
