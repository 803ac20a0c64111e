// Registers the policy when the shared library is loaded, so that linking or preloading it is
// enough. Not among the objects that tests link.

#include "winnow/rocksdb_policy.h"

namespace {

[[maybe_unused]] const int registered = winnow_rocksdb_register();

}  // namespace
