// Writing to a pipe or socket whose reader is gone, from a library inside other programs: the write
// fails without a SIGPIPE, which would end the program.
//
// Functions don't throw, don't allocate and don't call the C++ standard library. Thread-safe.

#ifndef WINNOW_SRC_BASE_WITHOUT_SIGPIPE_H_
#define WINNOW_SRC_BASE_WITHOUT_SIGPIPE_H_

#include <signal.h>
#include <time.h>

namespace winnow::base {

// Blocks SIGPIPE for this thread during its lifetime. A SIGPIPE that was pending before stays
// pending, whether the program blocks it to handle it later or another process sent it; one of a
// write during the lifetime is discarded by the destructor.
class WithoutSigpipe {
 public:
  WithoutSigpipe() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    // Blocks first: signals that arrive before belong to the program.
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
