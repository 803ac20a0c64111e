#include "src/preload/next_definition.h"

#include <dlfcn.h>

#include <string>

#include "src/preload/report.h"

namespace winnow::preload {

void* NextDefinition(void* hook) noexcept {
  Dl_info known{};
  if (::dladdr(hook, &known) == 0 || known.dli_sname == nullptr || known.dli_saddr != hook) {
    EndProgram("libwinnow_preload.so does not export one of its own functions: it was built wrong");
  }
  void* const found = ::dlsym(RTLD_NEXT, known.dli_sname);
  if (found == nullptr) {
    EndProgram(std::string("no library that was loaded after libwinnow_preload.so defines ") +
               known.dli_sname +
               ": expected RocksDB's shared library; unset LD_PRELOAD for this program");
  }
  return found;
}

}  // namespace winnow::preload
