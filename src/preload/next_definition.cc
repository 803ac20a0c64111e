#include "src/preload/next_definition.h"

#include <dlfcn.h>

#include <string>

#include "src/preload/report.h"

namespace winnow::preload {

void* NextDefinition(const char* symbol) noexcept {
  void* const found = ::dlsym(RTLD_NEXT, symbol);
  if (found == nullptr) {
    EndProgram(std::string("no library that was loaded after libwinnow_preload.so defines ") +
               symbol + ": expected RocksDB's shared library; unset LD_PRELOAD for this program");
  }
  return found;
}

}  // namespace winnow::preload
