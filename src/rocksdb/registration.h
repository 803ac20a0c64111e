// Registers the policy's names without the dynamic linker: if a library is preloaded, the function
// of winnow/rocksdb_policy.h that does the same may be that library's.

#ifndef WINNOW_SRC_ROCKSDB_REGISTRATION_H_
#define WINNOW_SRC_ROCKSDB_REGISTRATION_H_

namespace winnow::plugin {

// As winnow_rocksdb_register().
int RegisterPolicy() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REGISTRATION_H_
