// Interface between the library that is preloaded (front/) and the plugin: one call, by which the
// front, which has nothing of RocksDB but the types of its functions, gets the handlers of the
// functions that it stands in for.

#ifndef WINNOW_SRC_PRELOAD_INTERPOSER_H_
#define WINNOW_SRC_PRELOAD_INTERPOSER_H_

#include "src/base/stderr_line.h"
#include "src/preload/hook_list.h"
#include "winnow/version.h"

namespace winnow::preload {

// The build, which must be the same on both sides: the layout of what follows belongs to it.
#define WINNOW_INTERPOSER_QUOTE_EXPANDED(text) #text
#define WINNOW_INTERPOSER_QUOTE(text) WINNOW_INTERPOSER_QUOTE_EXPANDED(text)
inline constexpr char kInterposerBuild[] =
    "Winnow " WINNOW_INTERPOSER_QUOTE(WINNOW_VERSION_MAJOR) "." WINNOW_INTERPOSER_QUOTE(
        WINNOW_VERSION_MINOR) "." WINNOW_INTERPOSER_QUOTE(WINNOW_VERSION_PATCH) ", interposer 4";

// State that the front passes on.
struct FrontState {
  const char* build;                       // kInterposerBuild
  base::StderrDescriptor stderr_at_start;  // of the process
  const char* policy_if_unset;  // what counts where WINNOW_POLICY is not set; "" or "read"

  // By hook, in the order of Hook: RocksDB's own function, null where it has none or where the
  // front knows no such hook, and the text of the parameters' types (ParametersOf in hook_types.h).
  void* stock[kMaxHooks];
  const char* parameters[kMaxHooks];
};

// The plugin's answer. Lives as long as the plugin, which stays if there is no problem.
struct Interposer {
  const char* build;     // kInterposerBuild
  const void* rocksdb;   // an address in the RocksDB that the plugin is bound to
  const char* problem;   // why it does nothing with that RocksDB, as a sentence; null: it works
  const char* in_force;  // what it does, for the line of WINNOW_LOG; null with a problem

  // Handler (hook_types.h) of each hook, in the order of Hook; null: nothing ever becomes of the
  // call.
  void* handlers[kMaxHooks];
};

// Exported by the plugin under this name. Null if the front is of another build. May be called from
// several threads, and more than once: the first call counts. Registers the policy's names if that
// was not done.
inline constexpr char kInterposerFunction[] = "winnow_rocksdb_interposer";
using GetInterposer = const Interposer*(const FrontState* front);

// The front also exports the variable winnow_preload_front, by which the plugin, when it is loaded,
// leaves it to the front to say that this RocksDB is refused (src/rocksdb/register_at_load.cc).

}  // namespace winnow::preload

extern "C" winnow::preload::GetInterposer winnow_rocksdb_interposer;

#endif  // WINNOW_SRC_PRELOAD_INTERPOSER_H_
