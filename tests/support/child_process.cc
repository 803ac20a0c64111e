#include "tests/support/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "tests/support/files.h"

namespace winnow::testing {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Returns the added variables, and those of this process that they don't override.
std::vector<std::string> MergedEnvironment(const std::vector<std::string>& added) {
  std::vector<std::string> merged = added;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string name(*variable, std::strcspn(*variable, "=") + 1);
    bool is_given = false;
    for (const std::string& other : added) {
      is_given = is_given || other.compare(0, name.size(), name) == 0;
    }
    if (!is_given) {
      merged.emplace_back(*variable);
    }
  }
  return merged;
}

}  // namespace

void DefaultSignals(posix_spawnattr_t* attributes) {
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int number : {SIGINT, SIGHUP}) sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(attributes, &defaults);
  posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);
}

ChildResult RunProgram(const std::vector<std::string>& command,
                       const std::vector<std::string>& environment) {
  const TemporaryFolder folder;
  const std::string output = folder / "output";
  const std::string errors = folder / "errors";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT,
                                   0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT,
                                   0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  DefaultSignals(&attributes);
  const std::vector<std::string> variables = MergedEnvironment(environment);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, command[0].c_str(), &actions, &attributes,
                                   Pointers(command).data(), Pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw std::runtime_error("can't start " + command[0] + ": " + std::strerror(error));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      throw std::runtime_error("can't wait for " + command[0] + ": " + std::strerror(errno));
    }
  }
  ChildResult result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.output = ReadFile(output);
  result.errors = ReadFile(errors);
  return result;
}

std::vector<std::string> LinesThatBegin(const std::string& text, const std::string& start) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.compare(0, start.size(), start) == 0) {
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace winnow::testing
