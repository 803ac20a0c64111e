// Functions for front/hooks.cc, and the handlers behind them, in a copy of an archive of RocksDB
// that `winnow adopt` made, without the dynamic linker. RocksDB's own functions have the names of
// stock_names.h there.

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>

#include "src/base/stderr_line.h"
#include "src/preload/adopted/facts.h"
#include "src/preload/front/hook_addresses.h"
#include "src/preload/front/state_line.h"
#include "src/preload/front/way.h"
#include "src/preload/interposer.h"
#include "src/preload/request.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/registration.h"

namespace winnow::preload {
namespace {

// Answers by the facts of the archive. The other functions have no name in RocksDB except that of
// the hook.
std::optional<bool> IsReplacedHere(const void* /*stock*/, Hook hook) noexcept {
  return hook != Hook::kSetOptions || winnow_adopted_sees_set_options == 1;
}

// Returns null if RocksDB is refused or if out of memory.
const Interposer* MakeInterposer() noexcept {
  FrontState state{kInterposerBuild, base::StderrAtStart(), "read", &IsReplacedHere, {}, {}};
  for (size_t i = 0; i < kNumHooks; ++i) {
    const auto hook = static_cast<Hook>(i);
    state.stock[i] = const_cast<void*>(AddressOf(hook));
    state.parameters[i] = ParametersOfHook(hook);
  }
  const Interposer* const made = winnow_rocksdb_interposer(&state);
  if (made == nullptr) return nullptr;
  try {
    if (made->problem != nullptr) {
      plugin::SayOnceOnStderr(made->problem);
      return nullptr;
    }
    if (IsLogging()) {
      plugin::SayOnStderr(std::string(made->refuses ? "not in force in " : "in force in ") +
                          ::program_invocation_short_name + " (" + std::to_string(::getpid()) +
                          "), in an adopted archive of RocksDB: " + made->in_force);
    }
  } catch (...) {
    return made->problem == nullptr ? made : nullptr;  // out of memory
  }
  return made;
}

const Interposer* OwnInterposer() noexcept {
  static const Interposer* const made = MakeInterposer();
  return made;
}

// RocksDB does not call Winnow to register the policy, so this happens when the program starts.
// Other work must wait for a call: RocksDB's own static objects may not be constructed yet.
[[maybe_unused]] const int registered = plugin::RegisterPolicy();

}  // namespace

Way FindWay(Hook hook, const void* /*caller*/) noexcept {
  Way way{const_cast<void*>(AddressOf(hook)), nullptr};
  // RocksDB's functions that make the handlers may call hooks.
  static thread_local bool is_asking = false;
  if (is_asking) return way;
  is_asking = true;
  if (const Interposer* const made = OwnInterposer()) {
    way.handler = made->handlers[static_cast<size_t>(hook)];
  }
  is_asking = false;
  return way;
}

// These do nothing, as there is always a RocksDB, and the policy is always registered with it or
// refused with a message.
void SayThatNobodyAnswers(Hook /*hook*/) noexcept {}
void SayIfPolicyIsLost(const void* /*caller*/, const char* /*options*/,
                       unsigned long /*size*/) noexcept {}

}  // namespace winnow::preload
