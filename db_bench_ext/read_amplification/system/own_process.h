// Runs of this program in a child process, and memory figures of the current process.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_OWN_PROCESS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_OWN_PROCESS_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::bench {

// Runs this program in a child process with these arguments, its name first, and returns its
// output. Returns an error if it cannot be run or fails.
absl::StatusOr<std::string> OutputOfOwnProcess(std::vector<std::string> words);

// Returns the value of a line in /proc/self/status, such as "VmHWM:  1234 kB", in bytes, or
// nullopt.
std::optional<uint64_t> StatusBytes(std::string_view field);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_OWN_PROCESS_H_
