// Starts a process that does not outlive this one, and describes how it ended.

#ifndef WINNOW_TESTS_STRESS_STARTED_PROCESS_H_
#define WINNOW_TESTS_STRESS_STARTED_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace winnow::stress {

// Starts a program in the folder, which also gets its core dump if the machine writes one. Its
// output is appended to output.txt there. The process is killed when the calling thread ends.
// Throws std::runtime_error if fork() fails.
pid_t StartProcess(const std::vector<std::string>& command, const std::string& folder,
                   const std::vector<std::pair<std::string, std::string>>& environment = {});

// Describes a wait status: "ended by signal 11 (Segmentation fault)".
std::string HowItEnded(int status);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_STARTED_PROCESS_H_
