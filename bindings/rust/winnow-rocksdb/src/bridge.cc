// What the crate calls (lib.rs).

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy.h"
#include "src/rocksdb/registration.h"
#include "src/rocksdb/version_guard.h"

namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;
using winnow::plugin::AsPolicy;
using winnow::plugin::Quoted;

// Why the policy can't be registered, or empty.
std::string RegistrationProblem() {
  if (const std::string& problem = winnow::plugin::VersionProblem(); !problem.empty()) {
    return problem;
  }
  return winnow::plugin::RegisterPolicy() == 0 ? "" : "registering the filter policy failed";
}

// Why this text is no policy of Winnow's, or empty.
std::string PolicyProblem(const std::string& text) {
  ConfigOptions strictly;
  strictly.ignore_unsupported_options = false;
  std::shared_ptr<const FilterPolicy> policy;
  Status status = FilterPolicy::CreateFromString(strictly, text, &policy);
  if (status.ok() && AsPolicy(policy.get()) == nullptr) {
    return Quoted(text) + " is no policy of Winnow's, such as winnow:10";
  }
  if (status.ok()) {  // with a number that can't be, the policy says so when it is asked
    status = policy->ValidateOptions({}, {});
  }
  return status.ok() ? "" : status.ToString();
}

}  // namespace

// Registers the policy, and then, unless `policy` is null, asks whether this text is one. *reason
// gets what is wrong, or no byte but the 0 at its end; what exceeds `size` is cut.
extern "C" void winnow_rust_check(const char* policy, char* reason, size_t size) noexcept {
  try {
    std::string problem = RegistrationProblem();
    if (problem.empty() && policy != nullptr) {
      problem = PolicyProblem(policy);
    }
    reason[problem.copy(reason, size - 1)] = '\0';
  } catch (const std::exception& problem) {
    strncpy(reason, problem.what(), size - 1);
    reason[size - 1] = '\0';
  }
}
