#include "db_bench_ext/read_amplification/system/own_process.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>

namespace winnow::bench {

std::optional<uint64_t> StatusBytes(std::string_view field) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.compare(0, field.size(), field) == 0) {
      return std::strtoull(line.c_str() + field.size(), nullptr, 10) * 1024;
    }
  }
  return std::nullopt;
}

absl::StatusOr<std::string> OutputOfOwnProcess(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return absl::ErrnoToStatus(errno, "can't make a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int problem =
      posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  std::array<char, 256> buffer{};
  ssize_t n = 0;
  while (problem == 0 &&
         ((n = read(ends[0], buffer.data(), buffer.size())) > 0 || (n < 0 && errno == EINTR))) {
    if (n > 0) output.append(buffer.data(), static_cast<size_t>(n));
  }
  close(ends[0]);
  if (problem != 0) return absl::ErrnoToStatus(problem, "can't run /proc/self/exe");
  int exited = 0;
  while (waitpid(child, &exited, 0) < 0 && errno == EINTR) {
  }
  if (exited != 0) return absl::InternalError(absl::StrCat("the process failed: ", output));
  return output;
}

}  // namespace winnow::bench
