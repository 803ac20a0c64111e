// What is measured by a process of its own: its memory.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_OWN_PROCESS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_OWN_PROCESS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace winnow::bench {

// What this program prints, run with one argument; empty if it can't be run or fails.
std::string OutputOfOwnProcess(const std::string& argument);

// A line of /proc/self/status such as "VmHWM:  1234 kB", in bytes. 0 if there is none.
uint64_t StatusBytes(std::string_view field);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_OWN_PROCESS_H_
