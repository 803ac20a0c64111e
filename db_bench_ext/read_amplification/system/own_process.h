// Measurements by a process of its own: its memory.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_OWN_PROCESS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_OWN_PROCESS_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::bench {

// Returns what this very program prints, run with these words, its name first; an error if it can't
// be run or fails.
absl::StatusOr<std::string> OutputOfOwnProcess(std::vector<std::string> words);

// A line of /proc/self/status such as "VmHWM:  1234 kB", in bytes, if there is one.
std::optional<uint64_t> StatusBytes(std::string_view field);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_OWN_PROCESS_H_
