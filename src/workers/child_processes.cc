#include "src/workers/child_processes.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

namespace winnow::inspect {
namespace {

constexpr int kEndingSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

// More than there are in practice. A child without an entry still ends with its parent.
constexpr size_t kPlaces = 2048;
std::atomic<pid_t> g_children[kPlaces];
static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal's handler reads them");

// Blocks termination signals, so that their handlers see a consistent list of children.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int number : kEndingSignals) {
      sigaddset(&ending, number);
    }
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_;
};

void Remember(pid_t child) {
  for (std::atomic<pid_t>& place : g_children) {
    pid_t free = 0;
    if (place.compare_exchange_strong(free, child)) {
      return;
    }
  }
}

void Forget(pid_t child) {
  for (std::atomic<pid_t>& place : g_children) {
    pid_t found = child;
    if (place.compare_exchange_strong(found, 0)) {
      return;
    }
  }
}

void BeChild(pid_t parent) {
  for (std::atomic<pid_t>& place : g_children) {
    place = 0;  // the entries are the parent's children
  }
  for (const int number : kEndingSignals) {
    signal(number, SIG_DFL);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(1);  // the parent ended before prctl()
  }
}

}  // namespace

pid_t ForkChild() {
  const WithoutSignals quiet;
  const pid_t parent = getpid();
  const pid_t child = fork();
  const int fork_error = errno;
  if (child == 0) {
    BeChild(parent);
  } else if (child > 0) {
    Remember(child);
  }
  errno = fork_error;
  return child;
}

int WaitForChild(pid_t child) {
  siginfo_t ended;
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  const WithoutSignals quiet;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  Forget(child);
  return status;
}

void KillChildren() noexcept {
  const int error = errno;
  for (const std::atomic<pid_t>& place : g_children) {
    if (const pid_t child = place; child > 0) {
      kill(child, SIGKILL);
    }
  }
  for (std::atomic<pid_t>& place : g_children) {
    if (const pid_t child = place.exchange(0); child > 0) {
      while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }
  errno = error;
}

}  // namespace winnow::inspect
