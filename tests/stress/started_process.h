// Starting a process that does not outlive this one, and saying how it ended.

#ifndef WINNOW_TESTS_STRESS_STARTED_PROCESS_H_
#define WINNOW_TESTS_STRESS_STARTED_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace winnow::stress {

// Starts a program in the folder, where it leaves its core if the machine makes one. What it says
// is added to the file output.txt there. The calling thread's end kills it. Throws
// std::runtime_error if it can't fork.
pid_t StartProcess(const std::vector<std::string>& command, const std::string& folder,
                   const std::vector<std::pair<std::string, std::string>>& environment = {});

// "ended by signal 11 (Segmentation fault)", of a status as waitpid gives it.
std::string HowItEnded(int status);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_STARTED_PROCESS_H_
