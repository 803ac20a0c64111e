// Writing to a pipe or a socket that nobody reads any more, from a library that lives in other
// people's programs: the write fails, and no SIGPIPE ends the program.
//
// Nothing here throws, allocates or calls the C++ library. Safe from any thread.

#ifndef WINNOW_SRC_BASE_WITHOUT_SIGPIPE_H_
#define WINNOW_SRC_BASE_WITHOUT_SIGPIPE_H_

#include <signal.h>
#include <time.h>

namespace winnow::base {

// While there is one, this thread gets no SIGPIPE. One that was pending before stays so, whether
// the program blocks it to take it later or another process sent it; that of a write meanwhile is
// gone with this.
class WithoutSigpipe {
 public:
  WithoutSigpipe() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    // First: what comes from outside before is the program's.
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    sigset_t pending;
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
  }
  ~WithoutSigpipe() {
    constexpr timespec kNow = {0, 0};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &kNow);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_;
};

}  // namespace winnow::base

#endif  // WINNOW_SRC_BASE_WITHOUT_SIGPIPE_H_
