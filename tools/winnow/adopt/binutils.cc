#include "tools/winnow/adopt/binutils.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "src/workers/child_processes.h"

namespace winnow::inspect {
namespace {

bool IsInPath(const std::string& name) {
  const char* const path = std::getenv("PATH");
  const std::vector<std::string> folders =
      absl::StrSplit(path == nullptr ? "/usr/bin:/bin" : path, ':');
  return std::any_of(folders.begin(), folders.end(), [&name](const std::string& folder) {
    return access(absl::StrCat(folder.empty() ? "." : folder, "/", name).c_str(), X_OK) == 0;
  });
}

// In the child: becomes the program, whose output goes to `output`.
[[noreturn]] void Become(const std::vector<std::string>& words, int output) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(pointers.front(), pointers.data());
  const char* const error = std::strerror(errno);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, error, std::strlen(error));
  _exit(127);
}

}  // namespace

std::vector<std::string> MissingPrograms(const std::vector<std::string>& names) {
  std::vector<std::string> missing;
  std::copy_if(names.begin(), names.end(), std::back_inserter(missing),
               [](const std::string& name) { return !IsInPath(name); });
  return missing;
}

ProgramResult RunCommand(const std::vector<std::string>& words) {
  ProgramResult result;
  std::array<int, 2> pipe = {-1, -1};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) {
    result.output = std::strerror(errno);
    return result;
  }
  const pid_t child = ForkChild();
  if (child == 0) Become(words, pipe[1]);
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
