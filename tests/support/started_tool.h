// A running process of the command line tool.

#ifndef WINNOW_TESTS_SUPPORT_STARTED_TOOL_H_
#define WINNOW_TESTS_SUPPORT_STARTED_TOOL_H_

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "tests/support/becomes.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow::testing {

// A child process of the tool, started through a shell with these arguments. It is killed when the
// thread that started it ends.
class Started {
 public:
  Started(const std::string& arguments, int output, const std::string& errors) : errors_(errors) {
    const std::string command = "exec setpriv --pdeathsig KILL '" WINNOW_TOOL "' " + arguments;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    DefaultSignals(&attributes);
    const char* const arguments_of_shell[] = {"sh", "-c", command.c_str(), nullptr};
    const int error = posix_spawnp(&process_, "sh", &actions, &attributes,
                                   const_cast<char**>(arguments_of_shell), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(error, 0);
  }

  pid_t process() const { return process_; }
  std::string Errors() const { return ReadFile(errors_); }

  // Waits for the end and returns the status of waitpid. Kills the process after ten minutes.
  int Wait() const {
    if (!Becomes([&] { return HasEnded(); }, std::chrono::milliseconds(1),
                 std::chrono::minutes(10))) {
      ADD_FAILURE() << "it does not end: " << Errors();
      kill(process_, SIGKILL);
    }
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  bool HasEnded() const {
    siginfo_t ended = {};
    return waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT | WNOHANG) == 0 &&
           ended.si_pid == process_;
  }

  // Returns the process id of the first child; 0 if there is none.
  pid_t FirstChild() const {
    const std::string process = std::to_string(process_);
    std::ifstream children("/proc/" + process + "/task/" + process + "/children");
    pid_t child = 0;
    return children >> child ? child : 0;
  }

  // Waits for a child that has redirected its stderr to /dev/null, and returns its process id; 0 if
  // the program ends without one.
  pid_t AwaitWorker() const {
    pid_t worker = 0;
    EXPECT_TRUE(Becomes(
        [&] {
          const pid_t child = FirstChild();
          std::error_code code;
          if (child != 0 && std::filesystem::read_symlink(
                                "/proc/" + std::to_string(child) + "/fd/2", code) == "/dev/null") {
            worker = child;
          }
          return worker != 0 || HasEnded();
        },
        std::chrono::microseconds(0)));
    return worker;
  }

 private:
  std::string errors_;
  pid_t process_ = 0;
};

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_STARTED_TOOL_H_
