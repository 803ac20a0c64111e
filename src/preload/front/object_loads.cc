// Notice of objects that a program opens by dlopen while it runs.
//
// The linker tells no library about others. But C++ code of an object, when it is constructed,
// registers the destructors of its static objects by __cxa_atexit (Itanium C++ ABI, 3.3.6.3), and
// each RocksDB has some. By then the linker knows the object. A hook of dlopen() itself would be
// its caller, by whose path the linker then searches.

#include <dlfcn.h>

#include <atomic>

#include "src/preload/front/state_line.h"
#include "winnow/version.h"

extern "C" WINNOW_EXPORT int __cxa_atexit(void (*destroy)(void*), void* object, void* library) {
  using Register = int(void (*)(void*), void*, void*);
  static std::atomic<Register*> next{nullptr};
  Register* found = next.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = reinterpret_cast<Register*>(::dlsym(RTLD_NEXT, "__cxa_atexit"));
    next.store(found, std::memory_order_relaxed);
  }
  const int result = found == nullptr ? -1 : found(destroy, object, library);
  winnow::preload::CheckObject(library);
  return result;
}
