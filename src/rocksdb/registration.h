// Registration of the policy's names without the dynamic linker: winnow_rocksdb_register() of
// winnow/rocksdb_policy.h may resolve to a preloaded library's function.

#ifndef WINNOW_SRC_ROCKSDB_REGISTRATION_H_
#define WINNOW_SRC_ROCKSDB_REGISTRATION_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>

namespace winnow::plugin {

// Registers the policy's names, like winnow_rocksdb_register(). Returns 0, or -1 on failure.
int RegisterPolicy() noexcept;

// Registers the policy's names. Returns the reason of a failure, or an empty string. Throws
// std::bad_alloc if out of memory.
std::string RegistrationProblem();

// Registers the policy's names, and has RocksDB make a policy from text such as "winnow:10".
// Returns an error if the policy is not Winnow's or has an invalid option. Throws std::bad_alloc if
// out of memory.
ROCKSDB_NAMESPACE::Status MakePolicyByText(
    const std::string& text, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REGISTRATION_H_
