#include "src/workers/child_answer.h"

#include <absl/strings/str_cat.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "src/workers/child_processes.h"

namespace winnow::inspect {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNoWholeAnswer = 1;

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

[[noreturn]] void RunChild(const std::function<std::string()>& work, int answer) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  signal(SIGABRT, SIG_DFL);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, STDERR_FILENO);
  }
  // No destructors: they are the parent's as well.
  _exit(WriteAll(answer, work()) ? 0 : kNoWholeAnswer);
}

// True at the end of the stream; false: it took longer than until the deadline.
bool ReadAll(int descriptor, Clock::time_point deadline, std::string* bytes) {
  char buffer[4096];
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd ready = {descriptor, POLLIN, 0};
    const int found = poll(&ready, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (found == 0) {
      return false;
    }
    const ssize_t size = found < 0 ? -1 : read(descriptor, buffer, sizeof(buffer));
    if (size == 0) {
      return true;
    }
    if (size > 0) {
      bytes->append(buffer, static_cast<size_t>(size));
    } else if (errno != EINTR) {
      return true;  // the exit status says that the answer is not whole
    }
  }
}

}  // namespace

ChildAnswer AskChild(const std::function<std::string()>& work, std::chrono::seconds limit) {
  ChildAnswer answer;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    answer.problem = absl::StrCat("no pipe could be made: ", strerror(errno));
    return answer;
  }
  const pid_t child = ForkChild();
  if (child == 0) {
    RunChild(work, ends[1]);
  }
  const int fork_error = errno;
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    answer.problem = absl::StrCat("no process could be made: ", strerror(fork_error));
    return answer;
  }
  std::string bytes;
  const bool in_time = ReadAll(ends[0], Clock::now() + limit, &bytes);
  close(ends[0]);
  if (!in_time) {
    kill(child, SIGKILL);
  }
  const int status = WaitForChild(child);
  if (!in_time) {
    answer.problem = absl::StrCat("it did not end within ", limit.count(), " s");
  } else if (WIFSIGNALED(status)) {
    answer.problem = absl::StrCat("it ended by signal ", WTERMSIG(status), " (",
                                  strsignal(WTERMSIG(status)), ")");
  } else if (WEXITSTATUS(status) != 0) {
    answer.problem = "its answer did not arrive whole";
  } else {
    answer.text = std::move(bytes);
  }
  return answer;
}

}  // namespace winnow::inspect
