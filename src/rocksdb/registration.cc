// Registers the policy with a RocksDB that is another library.

#include "src/rocksdb/registration.h"

#include <rocksdb/utilities/object_registry.h>

#include <exception>
#include <mutex>
#include <string>

#include "src/rocksdb/factory.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/version_guard.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

int RegisterPolicy() noexcept {
  static std::once_flag once;
  static int result = 0;
  try {
    std::call_once(once, [] {
      if (const std::string& problem = VersionProblem(); !problem.empty()) {
        SayOnceOnStderr(problem);
        result = -1;
        return;
      }
      AddFactory(*ROCKSDB_NAMESPACE::ObjectLibrary::Default());
    });
  } catch (const std::exception& problem) {
    try {
      SayOnceOnStderr(std::string("registering the filter policy failed: ") + problem.what());
    } catch (...) {
    }
    return -1;  // and a later call tries again
  }
  return result;
}

}  // namespace winnow::plugin

extern "C" int winnow_rocksdb_register(void) { return winnow::plugin::RegisterPolicy(); }
