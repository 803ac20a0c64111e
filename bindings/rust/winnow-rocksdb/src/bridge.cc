// C functions for the crate (lib.rs).

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "src/rocksdb/registration.h"

// Registers the policy and, unless `policy` is null, checks that `policy` is a valid policy. Writes
// an error message or an empty string to `reason`, truncated to `size` bytes with the final zero.
extern "C" void winnow_rust_check(const char* policy, char* reason, size_t size) noexcept {
  try {
    std::string problem = winnow::plugin::RegistrationProblem();
    if (problem.empty() && policy != nullptr) {
      std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> made;
      const ROCKSDB_NAMESPACE::Status status = winnow::plugin::MakePolicyByText(policy, &made);
      if (!status.ok()) problem = status.ToString();
    }
    reason[problem.copy(reason, size - 1)] = '\0';
  } catch (const std::exception& problem) {
    strncpy(reason, problem.what(), size - 1);
    reason[size - 1] = '\0';
  }
}
