// Registers the policy with a RocksDB that is another library.

#include <rocksdb/utilities/object_registry.h>

#include <cstdio>
#include <exception>
#include <mutex>
#include <string>

#include "src/rocksdb/factory.h"
#include "src/rocksdb/version_guard.h"
#include "winnow/rocksdb_policy.h"

extern "C" int winnow_rocksdb_register(void) {
  static std::once_flag once;
  static int result = 0;
  try {
    std::call_once(once, [] {
      if (const std::string& problem = winnow::plugin::VersionProblem(); !problem.empty()) {
        std::fprintf(stderr, "winnow: %s\n", problem.c_str());
        result = -1;
        return;
      }
      winnow::plugin::AddFactory(*ROCKSDB_NAMESPACE::ObjectLibrary::Default());
    });
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "winnow: registering the filter policy failed: %s\n", problem.what());
    return -1;  // and a later call tries again
  }
  return result;
}
