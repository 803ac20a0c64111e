// Thread of a library inside other programs.

#ifndef WINNOW_SRC_BASE_DAEMON_THREAD_H_
#define WINNOW_SRC_BASE_DAEMON_THREAD_H_

#include <pthread.h>
#include <signal.h>

namespace winnow::base {

// Starts a thread that runs until the process ends, and returns whether it did. All signals are
// blocked there, as signals belong to the program. `name` has at most 15 characters.
inline bool StartDaemonThread(const char* name, void* (*work)(void*)) noexcept {
  constexpr size_t kStackBytes = size_t{1} << 20;  // address space is limited in some processes
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return false;
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int error = ::pthread_create(&thread, &attributes, work, nullptr);
  if (error == 0) ::pthread_setname_np(thread, name);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  return error == 0;
}

}  // namespace winnow::base

#endif  // WINNOW_SRC_BASE_DAEMON_THREAD_H_
