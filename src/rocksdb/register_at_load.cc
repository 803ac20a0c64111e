// Registration of the policy when the shared library is loaded, so that linking or preloading the
// library is enough. Tests do not link this file.

#include "src/rocksdb/registration.h"
#include "src/rocksdb/version_guard.h"

// Defined if Winnow's preloaded library is in the process (src/preload/interposer.h). That library
// reports why a RocksDB is refused, but only if the program needs to know, and not in each child
// process.
extern "C" __attribute__((weak)) const char winnow_preload_front;

namespace {

int Register() noexcept {
  try {
    if (&winnow_preload_front != nullptr && !winnow::plugin::VersionProblem().empty()) {
      return -1;
    }
  } catch (...) {
    return -1;  // out of memory; the program goes on
  }
  return winnow::plugin::RegisterPolicy();
}

[[maybe_unused]] const int registered = Register();

}  // namespace
