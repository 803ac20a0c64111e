// Registers the plugin's policy when the shared library is loaded. A refused version is told when
// it matters, to a program that asks for a policy, and not to all child processes.

#include "src/rocksdb/policy.h"
#include "src/rocksdb/version_guard.h"

namespace {

[[maybe_unused]] const bool registered =
    winnow::plugin::VersionProblem().empty() && winnow_rocksdb_register() == 0;

}  // namespace
