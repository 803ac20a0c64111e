// The policy's name in RocksDB's object registry.

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>
#include <rocksdb/utilities/object_registry.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <string>

#include "src/rocksdb/policy.h"
#include "src/rocksdb/version_guard.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::Status;

const FilterPolicy* MakeFromId(const std::string& id, std::unique_ptr<const FilterPolicy>* guard,
                               std::string* message) {
  if (const Status status = MakePolicyFromId(id, guard); !status.ok()) {
    *message = status.getState();  // of which RocksDB makes an InvalidArgument
    return nullptr;
  }
  return guard->get();
}

void AddFactory() {
  // Anything may follow the ":": what is not a number must be refused by us with a reason, and not
  // be dropped in silence as an unknown name.
  ObjectLibrary::PatternEntry names("winnow", true);
  names.AnotherName("winnow.Filter").AddSeparator(":", false);
  ObjectLibrary::Default()->AddFactory<const FilterPolicy>(names, MakeFromId);
}

}  // namespace
}  // namespace winnow::plugin

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
      winnow::plugin::AddFactory();
    });
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "winnow: registering the filter policy failed: %s\n", problem.what());
    return -1;  // and a later call tries again
  }
  return result;
}
