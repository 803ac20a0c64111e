// Registers the plugin's policy when the shared library is loaded. A refused version is told when
// it matters, to a program that asks for a policy, and not to all child processes. What can't be
// replaced is told now, to those who ask for a log: no function of ours may ever be called then.

#include "src/preload/inner_calls.h"
#include "src/preload/report.h"
#include "src/preload/request.h"
#include "src/rocksdb/policy.h"
#include "src/rocksdb/version_guard.h"

namespace {

bool Register() noexcept {
  try {
    if (!winnow::plugin::VersionProblem().empty()) {
      return false;
    }
    if (winnow::preload::IsLogging() && winnow::preload::IsInterposing()) {
      if (const std::string problem = winnow::preload::UnreplacedCalls(); !problem.empty()) {
        winnow::preload::SayOnce(problem);
      }
    }
  } catch (...) {
    return false;  // memory is short; the program goes on
  }
  return winnow_rocksdb_register() == 0;
}

[[maybe_unused]] const bool registered = Register();

}  // namespace
