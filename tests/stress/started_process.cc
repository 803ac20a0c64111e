#include "tests/stress/started_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace winnow::stress {

pid_t StartProcess(const std::vector<std::string>& command, const std::string& folder,
                   const std::vector<std::pair<std::string, std::string>>& environment) {
  const std::string log = folder + "/output.txt";
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error(std::string("can't fork: ") + std::strerror(errno));
  if (process > 0) return process;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  const rlimit cores = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &cores);
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  if (chdir(folder.c_str()) != 0) _exit(127);
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  _exit(127);
}

std::string HowItEnded(int status) {
  if (!WIFSIGNALED(status)) return "ended with status " + std::to_string(WEXITSTATUS(status));
  return "ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
         strsignal(WTERMSIG(status)) + ")";
}

}  // namespace winnow::stress
