// Looking a symbol up, for all that is put in front of a RocksDB or bound to one.

#ifndef WINNOW_SRC_PRELOAD_FIND_SYMBOL_H_
#define WINNOW_SRC_PRELOAD_FIND_SYMBOL_H_

#include <dlfcn.h>

namespace winnow::preload {

// Null where it is not there. The program does not see our error (dlerror) then.
inline void* FindSymbol(void* where, const char* symbol) noexcept {
  void* const found = ::dlsym(where, symbol);
  if (found == nullptr) ::dlerror();
  return found;
}

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FIND_SYMBOL_H_
