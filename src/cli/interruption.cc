#include "src/cli/interruption.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "src/workers/child_processes.h"

namespace winnow::cli {
namespace {

std::atomic<UnfinishedFile*> newest_file;
std::atomic<bool> on_terminal;
std::atomic<bool> stop_asked;
std::atomic<int> first_signal;
static_assert(std::atomic<UnfinishedFile*>::is_always_lock_free &&
                  std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a handler of signals may use nothing else");

// It runs on the main thread, which forks: on another thread, such as RocksDB's, it could miss a
// child that is being forked. raise() takes effect when the handler returns.
void EndInOrder(int number) {
  const pid_t process = getpid();
  if (gettid() != process) {
    tgkill(process, process, number);
    return;
  }
  signal(number, SIG_DFL);
  inspect::KillChildren();
  UnfinishedFile::RemoveAll();
  if (on_terminal) {
    constexpr char kClearLine[] = "\r\033[K";
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, kClearLine, sizeof(kClearLine) - 1);
  }
  raise(number);
}

void Remember(int number) {
  int none = 0;
  first_signal.compare_exchange_strong(none, number);
  stop_asked = true;
}

void RememberOnce(int number) {
  Remember(number);
  signal(number, SIG_DFL);
}

// Installs the handler, which the signals don't interrupt. Without SA_RESTART among the flags, they
// interrupt reads of keys from a terminal or pipe, which could block forever.
void Handle(void (*handler)(int), int flags = 0) {
  constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM};
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (const int number : kSignals) sigaddset(&action.sa_mask, number);
  for (const int number : kSignals) {
    struct sigaction before = {};
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
      sigaction(number, &action, nullptr);
    }
  }
}

}  // namespace

void EndInOrderWhenInterrupted() {
  on_terminal = isatty(STDERR_FILENO) != 0;
  Handle(EndInOrder);
}

void CatchStopSignals() {
  Handle(Remember);
  signal(SIGPIPE, SIG_IGN);
}

void StopAtSignal() { Handle(RememberOnce, SA_RESTART); }

const std::atomic<bool>* StopAsked() { return &stop_asked; }

int StopStatus() { return first_signal == 0 ? 0 : 128 + first_signal; }

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)), older_(newest_file) {
  newest_file = this;
}

UnfinishedFile::~UnfinishedFile() {
  newest_file = older_;
  const int reason = errno;  // why the file could not be written
  if (!is_kept_) unlink(path_.c_str());
  errno = reason;
}

void UnfinishedFile::RemoveAll() noexcept {
  for (UnfinishedFile* file = newest_file; file != nullptr; file = file->older_) {
    if (!file->is_kept_) unlink(file->path_.c_str());
  }
}

}  // namespace winnow::cli
