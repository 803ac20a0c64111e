#include "db_bench_ext/read_amplification/system/stop_signals.h"

#include <signal.h>

#include <initializer_list>

namespace winnow::bench {
namespace {

std::atomic<bool> asked{false};
std::atomic<int> first_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a handler of signals may use nothing else");

void Remember(int signal) {
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
  asked = true;
}

}  // namespace

void CatchStopSignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    // Without SA_RESTART, signals interrupt reads of keys from a terminal or pipe, which could
    // block forever.
    struct sigaction action = {};
    action.sa_handler = Remember;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
}

const std::atomic<bool>* StopAsked() { return &asked; }

int StopStatus() {
  const int signal = first_signal;
  return signal == 0 ? 0 : 128 + signal;
}

}  // namespace winnow::bench
