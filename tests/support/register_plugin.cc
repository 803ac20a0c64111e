// Registers a static plugin in tests that name it in options strings; a shared one registers
// itself.

#include "winnow/rocksdb_policy.h"

namespace {

[[maybe_unused]] const int registered = winnow_rocksdb_register();

}  // namespace
