#include "src/preload/front/own_stack.h"

#include <sys/mman.h>

#include <cstddef>

#include "src/preload/front/loaded_objects.h"

#if defined(__GLIBC__)
#include <ucontext.h>
#endif

namespace winnow::preload {

#if defined(__GLIBC__)
namespace {

// Size of the stack, which takes memory only where used. Static initializers of RocksDB's library
// run on it.
constexpr size_t kStackBytes = size_t{8} << 20;

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
