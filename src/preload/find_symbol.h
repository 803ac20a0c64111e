// Symbol lookup, for libraries that interpose a RocksDB or bind to one.

#ifndef WINNOW_SRC_PRELOAD_FIND_SYMBOL_H_
#define WINNOW_SRC_PRELOAD_FIND_SYMBOL_H_

#include <dlfcn.h>

namespace winnow::preload {

// Returns null if the symbol is not found. Clears the error (dlerror), so that the program does not
// see it.
inline void* FindSymbol(void* where, const char* symbol) noexcept {
  void* const found = ::dlsym(where, symbol);
  if (found == nullptr) ::dlerror();
  return found;
}

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FIND_SYMBOL_H_
