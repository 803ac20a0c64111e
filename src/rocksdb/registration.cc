// Registration of the policy with a RocksDB in another library.

#include "src/rocksdb/registration.h"

#include <rocksdb/convenience.h>
#include <rocksdb/utilities/object_registry.h>

#include <exception>
#include <mutex>
#include <utility>

#include "src/rocksdb/factory.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy.h"
#include "src/rocksdb/version_guard.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

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
    return -1;  // a later call tries again
  }
  return result;
}

std::string RegistrationProblem() {
  if (const std::string& problem = VersionProblem(); !problem.empty()) return problem;
  return RegisterPolicy() == 0 ? "" : "registering the filter policy failed";
}

Status MakePolicyByText(const std::string& text, std::shared_ptr<const FilterPolicy>* policy) {
  if (const std::string problem = RegistrationProblem(); !problem.empty()) {
    return Status::NotSupported(problem);
  }
  ROCKSDB_NAMESPACE::ConfigOptions strictly;
  strictly.ignore_unsupported_options = false;
  std::shared_ptr<const FilterPolicy> made;
  Status status = FilterPolicy::CreateFromString(strictly, text, &made);
  const Policy* const ours = AsPolicy(made.get());
  if (status.ok() && ours == nullptr) {
    return Status::InvalidArgument(Quoted(text) + " is no policy of Winnow's, such as winnow:10");
  }
  // A policy with an invalid number is made without an error; Check() returns the error.
  if (status.ok()) status = ours->Check();
  if (status.ok()) *policy = std::move(made);
  return status;
}

}  // namespace winnow::plugin

extern "C" int winnow_rocksdb_register(void) { return winnow::plugin::RegisterPolicy(); }
