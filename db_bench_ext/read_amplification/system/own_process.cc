#include "db_bench_ext/read_amplification/system/own_process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

namespace winnow::bench {

uint64_t StatusBytes(std::string_view field) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.compare(0, field.size(), field) == 0) {
      return std::strtoull(line.c_str() + field.size(), nullptr, 10) * 1024;
    }
  }
  return 0;
}

std::string OutputOfOwnProcess(const std::string& argument) {
  const char* const arguments[] = {"filter_bench", argument.c_str(), nullptr};
  int ends[2];
  if (pipe(ends) != 0) {
    return "";
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t child = 0;
  const int problem = posix_spawn(&child, "/proc/self/exe", &actions, nullptr,
                                  const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  char buffer[256];
  ssize_t n = 0;
  while (problem == 0 &&
         ((n = read(ends[0], buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))) {
    output.append(buffer, n > 0 ? static_cast<size_t>(n) : 0);
  }
  close(ends[0]);
  int exited = 0;
  if (problem != 0 || waitpid(child, &exited, 0) != child || exited != 0) {
    return "";
  }
  return output;
}

}  // namespace winnow::bench
