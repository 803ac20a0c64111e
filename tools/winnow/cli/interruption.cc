#include "tools/winnow/cli/interruption.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

#include "src/workers/child_processes.h"

namespace winnow::tools {
namespace {

constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM};
constexpr size_t kMaxFiles = 16;
constexpr size_t kLongestPath = 4095;  // PATH_MAX of Linux without the final zero

// A path that the signal handler unlinks. `path` does not change while `is_set`.
struct Place {
  std::atomic<bool> is_taken;
  std::atomic<bool> is_set;
  char path[kLongestPath + 1];
};
Place g_unfinished[kMaxFiles];
std::atomic<bool> g_on_terminal;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal's handler reads them");

void RemoveUnfinished() noexcept {
  for (Place& place : g_unfinished) {
    if (place.is_set.exchange(false)) {
      unlink(place.path);
    }
  }
}

// Signal handler. It runs on the main thread, which forks: on another thread, such as RocksDB's, it
// could miss a child that is being forked. raise() takes effect when the handler returns.
void EndInOrder(int number) {
  const pid_t process = getpid();
  if (gettid() != process) {
    tgkill(process, process, number);
    return;
  }
  signal(number, SIG_DFL);
  inspect::KillChildren();
  RemoveUnfinished();
  if (g_on_terminal) {
    constexpr char kClearLine[] = "\r\033[K";
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, kClearLine, sizeof(kClearLine) - 1);
  }
  raise(number);
}

}  // namespace

void EndInOrderWhenInterrupted() {
  g_on_terminal = isatty(STDERR_FILENO) != 0;
  struct sigaction action = {};
  action.sa_handler = EndInOrder;
  for (const int number : kSignals) {
    sigaddset(&action.sa_mask, number);
  }
  for (const int number : kSignals) {
    struct sigaction before = {};
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
      sigaction(number, &action, nullptr);
    }
  }
}

UnfinishedFile::UnfinishedFile(const std::string& path) {
  if (path.size() > kLongestPath) {
    throw std::length_error("the path of a file is too long");
  }
  while (place_ < kMaxFiles && g_unfinished[place_].is_taken.exchange(true)) {
    ++place_;
  }
  if (place_ == kMaxFiles) {
    throw std::length_error("too many unfinished files");
  }
  Place& place = g_unfinished[place_];
  memcpy(place.path, path.c_str(), path.size() + 1);
  place.is_set = true;
}

UnfinishedFile::~UnfinishedFile() {
  Place& place = g_unfinished[place_];
  if (place.is_set.exchange(false)) {
    unlink(place.path);
  }
  place.is_taken = false;
}

void UnfinishedFile::Keep() noexcept { g_unfinished[place_].is_set = false; }

}  // namespace winnow::tools
