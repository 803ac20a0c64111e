#include "src/rocksdb/use_log.h"

#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "src/base/daemon_thread.h"
#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/use/use_text.h"

namespace winnow::plugin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Clock::rep kNever = std::numeric_limits<Clock::rep>::max();

// Id of the process that has the thread, as a forked child has none; 0 if none does.
std::atomic<pid_t> g_process_with_thread{0};
std::atomic<bool> g_is_writing_use{false};
std::atomic<bool> g_ends{false};
sem_t g_is_due;

void SetNextTime() noexcept {
  next_use_log = (Clock::now() + kUseInterval).time_since_epoch().count();
}

void* WriteWhenDue(void* /*none*/) noexcept {
  while (!g_ends) {
    if (::sem_wait(&g_is_due) != 0) {
      if (errno == EINTR) continue;
      return nullptr;
    }
    g_is_writing_use = true;
    if (!g_ends) LoadMeter::WriteUse();
    g_is_writing_use = false;
    SetNextTime();
  }
  return nullptr;
}

// Lets a table that is being written get into its LOG before the process ends.
__attribute__((destructor)) void EndUseLog() {
  if (g_process_with_thread != ::getpid()) return;
  g_ends = true;
  constexpr timespec kMillisecond = {0, 1'000'000};
  for (int i = 0; i < 1000 && g_is_writing_use; ++i) ::nanosleep(&kMillisecond, nullptr);
}

}  // namespace

std::atomic<Clock::rep> next_use_log{kNever};

void WakeUseLog() noexcept {
  if (next_use_log.exchange(kNever) != kNever) ::sem_post(&g_is_due);
}

void KeepUseLog() noexcept {
  const pid_t process = ::getpid();
  pid_t before = g_process_with_thread;
  if (before == process || !g_process_with_thread.compare_exchange_strong(before, process)) return;
  g_is_writing_use = false;
  if (::sem_init(&g_is_due, 0, 0) != 0) return;
  if (base::StartDaemonThread("winnow-log", WriteWhenDue)) SetNextTime();
}

}  // namespace winnow::plugin
