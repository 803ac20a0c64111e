// Registers the policy's names without the dynamic linker: if a library is preloaded, the function
// of winnow/rocksdb_policy.h that does the same may be that library's.

#ifndef WINNOW_SRC_ROCKSDB_REGISTRATION_H_
#define WINNOW_SRC_ROCKSDB_REGISTRATION_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>

namespace winnow::plugin {

// As winnow_rocksdb_register().
int RegisterPolicy() noexcept;

// The same, why it can't be, or empty. Throws if memory is short.
std::string RegistrationProblem();

// Registers them, and has RocksDB make a policy by this text, such as "winnow:10". An error where
// that is none of Winnow's, or has an option that is wrong. Throws if memory is short.
ROCKSDB_NAMESPACE::Status MakePolicyByText(
    const std::string& text, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REGISTRATION_H_
