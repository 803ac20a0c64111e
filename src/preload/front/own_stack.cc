#include "src/preload/front/own_stack.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <cstddef>
#include <initializer_list>

#if defined(__GLIBC__)
#include <ucontext.h>
#endif

namespace winnow::preload {

#if defined(__GLIBC__)
namespace {

// Size of the stack, which takes memory only where used. Static initializers of RocksDB's library
// run on it.
constexpr size_t kStackBytes = size_t{8} << 20;

// Returns whether the runtime library of a sanitizer is loaded.
bool HasSanitizer() noexcept {
  for (const char* const function :
       {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init"}) {
    if (::dlsym(RTLD_DEFAULT, function) != nullptr) {
      return true;
    }
  }
  ::dlerror();
  return false;
}

}  // namespace

void RunOnOwnStack(void (*work)()) noexcept {
  if (HasSanitizer()) {  // sanitizers track the stack and report a switch
    work();
    return;
  }
  void* const stack = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) {
    work();
    return;
  }
  // Static, as they are too large for the program's stack.
  static ucontext_t here;
  static ucontext_t there;
  if (::getcontext(&there) != 0) {
    work();
  } else {
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = kStackBytes;
    there.uc_link = &here;
    ::makecontext(&there, work, 0);
    ::swapcontext(&here, &there);
  }
  ::munmap(stack, kStackBytes);
}
#else
void RunOnOwnStack(void (*work)()) noexcept { work(); }
#endif

}  // namespace winnow::preload
