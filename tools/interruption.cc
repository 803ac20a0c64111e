#include "tools/interruption.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include "src/inspect/child_processes.h"

namespace winnow::tools {
namespace {

constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM};
constexpr size_t kMostFiles = 16;

// What the handler reads. The paths are never freed: it may be at one.
std::atomic<const char*> g_unfinished[kMostFiles];
std::atomic<bool> g_on_terminal;
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal's handler reads them");

void RemoveUnfinished() noexcept {
  for (std::atomic<const char*>& place : g_unfinished) {
    if (const char* const path = place.exchange(nullptr)) {
      unlink(path);
    }
  }
}

// The action is the default one again: what is raised here ends the program when this returns.
void EndInOrder(int number) {
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
  action.sa_flags = static_cast<int>(SA_RESETHAND);
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
  const char* const copy = strdup(path.c_str());
  const char* expected = nullptr;
  while (place_ < kMostFiles && !g_unfinished[place_].compare_exchange_strong(expected, copy)) {
    expected = nullptr;
    ++place_;
  }
  if (copy == nullptr || place_ == kMostFiles) {
    throw std::length_error("too many unfinished files");
  }
}

UnfinishedFile::~UnfinishedFile() {
  const char* const path = kept_ ? nullptr : g_unfinished[place_].load();
  if (path != nullptr) {
    unlink(path);
    g_unfinished[place_] = nullptr;
  }
}

void UnfinishedFile::Keep() noexcept {
  g_unfinished[place_] = nullptr;
  kept_ = true;
}

}  // namespace winnow::tools
