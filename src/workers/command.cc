#include "src/workers/command.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "src/workers/child_processes.h"

namespace winnow::inspect {
namespace {

// Replaces the child process by the program, with its output to `output`.
[[noreturn]] void Become(const std::vector<std::string>& words, int output, CommandErrors errors) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  dup2(output, STDOUT_FILENO);
  const bool drops = errors == CommandErrors::kDropped;
  dup2(drops ? open("/dev/null", O_WRONLY | O_CLOEXEC) : output, STDERR_FILENO);
  execvp(pointers.front(), pointers.data());
  const char* const error = std::strerror(errno);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, error, std::strlen(error));
  _exit(127);
}

}  // namespace

CommandResult RunCommand(const std::vector<std::string>& words, CommandErrors errors) {
  CommandResult result;
  std::array<int, 2> pipe = {-1, -1};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) {
    result.output = std::strerror(errno);
    return result;
  }
  const pid_t child = ForkChild();
  if (child == 0) Become(words, pipe[1], errors);
  close(pipe[1]);
  if (child < 0) {
    result.output = std::strerror(errno);
  } else {
    std::array<char, 4096> buffer;
    for (ssize_t size = 0; (size = read(pipe[0], buffer.data(), buffer.size())) > 0 ||
                           (size < 0 && errno == EINTR);) {
      if (size > 0) result.output.append(buffer.data(), static_cast<size_t>(size));
    }
    result.status = WaitForChild(child);
  }
  close(pipe[0]);
  return result;
}

}  // namespace winnow::inspect
