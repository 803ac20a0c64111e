// Registering the policy's names, without a detour over the dynamic linker: the function of
// winnow/rocksdb_policy.h that does the same may be another library's, where one is preloaded.

#ifndef WINNOW_SRC_ROCKSDB_REGISTRATION_H_
#define WINNOW_SRC_ROCKSDB_REGISTRATION_H_

namespace winnow::plugin {

// As winnow_rocksdb_register().
int RegisterPolicy() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REGISTRATION_H_
