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

// Only the used part takes memory. Static initialisers of RocksDB's library run on this stack.
constexpr size_t kStackBytes = size_t{8} << 20;

}  // namespace

void RunOnOwnStack(void (*work)()) noexcept {
  if (HasSanitizer()) {  // a sanitizer tracks the stack, and complains about another one
    work();
    return;
  }
  void* const stack = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) {
    work();
    return;
  }
  // Not on the program's stack: they are large.
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
