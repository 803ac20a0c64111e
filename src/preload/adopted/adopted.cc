// The functions of front/hooks.cc, and the handlers behind them, in a copy of an archive of RocksDB
// that `winnow adopt` made: no dynamic linker is asked for anything. RocksDB's own functions have
// the names of stock_names.h there.

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
#include "src/preload/inner_calls.h"
#include "src/preload/interposer.h"
#include "src/preload/request.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/registration.h"

namespace winnow::preload {
namespace {

// Null with a RocksDB that is refused, and where memory is short.
const Interposer* MakeInterposer() noexcept {
  FrontState state{kInterposerBuild, base::StderrAtStart(), "read", {}, {}};
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
      plugin::SayOnStderr(std::string("in force in ") + ::program_invocation_short_name + " (" +
                          std::to_string(::getpid()) +
                          "), in an adopted archive of RocksDB: " + made->in_force);
    }
  } catch (...) {
    return made->problem == nullptr ? made : nullptr;  // memory is short
  }
  return made;
}

const Interposer* OwnInterposer() noexcept {
  static const Interposer* const made = MakeInterposer();
  return made;
}

// Nothing in RocksDB calls us to register the policy, so that is done when the program starts. All
// else waits for a call: RocksDB's own static objects may not be there yet.
[[maybe_unused]] const int registered = plugin::RegisterPolicy();

}  // namespace

Way FindWay(Hook hook, const void* /*caller*/) noexcept {
  Way way{const_cast<void*>(AddressOf(hook)), nullptr};
  // Handlers are made by functions of RocksDB's that may come by here.
  static thread_local bool is_asking = false;
  if (is_asking) return way;
  is_asking = true;
  if (const Interposer* const made = OwnInterposer()) {
    way.handler = made->handlers[static_cast<size_t>(hook)];
  }
  is_asking = false;
  return way;
}

// There is always a RocksDB, and the policy is always registered with it or refused by a line.
void SayThatNobodyAnswers(Hook /*hook*/) noexcept {}
void SayIfPolicyIsLost(const void* /*caller*/, const char* /*options*/,
                       unsigned long /*size*/) noexcept {}

// ---- inner_calls.h, by what was seen in the archive

std::optional<bool> IsReplaced(Hook hook) noexcept {
  // The others have no name in RocksDB but that of the hook.
  return hook != Hook::kSetOptions || winnow_adopted_sees_set_options == 1;
}

std::string UnreplacedCalls() { return {}; }

}  // namespace winnow::preload
