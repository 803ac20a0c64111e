// Registers the policy when the shared library is loaded, so that linking or preloading it is
// enough. Not among the objects that tests link.

#include "src/rocksdb/registration.h"
#include "src/rocksdb/version_guard.h"

// Defined if our preloaded library is in the process (src/preload/interposer.h). That library says
// why a RocksDB is refused, but only when it matters to the program, and not in each child process.
extern "C" __attribute__((weak)) const char winnow_preload_front;

namespace {

int Register() noexcept {
  try {
    if (&winnow_preload_front != nullptr && !winnow::plugin::VersionProblem().empty()) {
      return -1;
    }
  } catch (...) {
    return -1;  // memory is short; the program goes on
  }
  return winnow::plugin::RegisterPolicy();
}

[[maybe_unused]] const int registered = Register();

}  // namespace
