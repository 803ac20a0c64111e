// Interface between the preloaded library (front/) and the plugin: by one call, the front, which
// has nothing of RocksDB except the types of its functions, gets the handlers of the functions that
// it replaces.

#ifndef WINNOW_SRC_PRELOAD_INTERPOSER_H_
#define WINNOW_SRC_PRELOAD_INTERPOSER_H_

#include <optional>

#include "src/base/stderr_line.h"
#include "src/preload/hook_list.h"
#include "winnow/version.h"

namespace winnow::preload {

// Build, which must be equal on both sides: it determines the layout of the structs below.
#define WINNOW_INTERPOSER_QUOTE_EXPANDED(text) #text
#define WINNOW_INTERPOSER_QUOTE(text) WINNOW_INTERPOSER_QUOTE_EXPANDED(text)
inline constexpr char kInterposerBuild[] =
    "Winnow " WINNOW_INTERPOSER_QUOTE(WINNOW_VERSION_MAJOR) "." WINNOW_INTERPOSER_QUOTE(
        WINNOW_VERSION_MINOR) "." WINNOW_INTERPOSER_QUOTE(WINNOW_VERSION_PATCH) ", interposer 6";

// Function of the front that says whether RocksDB's own calls of a hook's function, `stock`, come
// to the hook; nullopt if that is unknown.
using AskIfReplaced = std::optional<bool>(const void* stock, Hook hook) noexcept;

// State that the front passes to the plugin.
struct FrontState {
  const char* build;                       // kInterposerBuild
  base::StderrDescriptor stderr_at_start;  // stderr of the process at its start
  const char* policy_if_unset;             // default of WINNOW_POLICY; "" or "read"
  AskIfReplaced* is_replaced;

  // Indexed by Hook: RocksDB's own function, null if it has none or if the front does not know the
  // hook, and the text of the parameters' types (ParametersOf in hook_types.h).
  void* stock[kMaxHooks];
  const char* parameters[kMaxHooks];
};

// Answer of the plugin. Lives as long as the plugin, which stays loaded if there is no problem.
struct Interposer {
  const char* build;     // kInterposerBuild
  const void* rocksdb;   // an address in the RocksDB that the plugin is bound to
  const char* problem;   // reason why this RocksDB can't be used, or null
  const char* in_force;  // description for the state line; null with a problem
  bool refuses;          // WINNOW_POLICY is no policy, so that databases with filters don't open

  // Handlers (hook_types.h), indexed by Hook; null if the call needs none.
  void* handlers[kMaxHooks];
};

// Exported by the plugin under this name. Returns null if the front is of another build.
// Thread-safe. Of several calls, the first one counts. Registers the policy's names unless this was
// done.
inline constexpr char kInterposerFunction[] = "winnow_rocksdb_interposer";
using GetInterposer = const Interposer*(const FrontState* front);

// The front also exports the variable winnow_preload_front, which tells the plugin, when it is
// loaded, that the front will report a refused RocksDB (src/rocksdb/register_at_load.cc).

}  // namespace winnow::preload

extern "C" winnow::preload::GetInterposer winnow_rocksdb_interposer;

#endif  // WINNOW_SRC_PRELOAD_INTERPOSER_H_
