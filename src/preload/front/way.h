// Target of a call that arrived at a hook.

#ifndef WINNOW_SRC_PRELOAD_FRONT_WAY_H_
#define WINNOW_SRC_PRELOAD_FRONT_WAY_H_

#include "src/preload/hook_list.h"

namespace winnow::preload {

struct Way {
  // Definition that the caller would have called without the preloaded library; null if there is
  // none.
  void* stock;

  // The plugin's handler, if that definition is in the RocksDB that the plugin is bound to; else
  // null.
  void* handler;
};

// Finds the target of a call. `caller` is the address to which the hook will return, or another
// address in the object that refers to the function. Prints due messages on stderr. Thread-safe;
// nothing throws.
Way FindWay(Hook hook, const void* caller) noexcept;

// Reports, with WINNOW_LOG=1, that the call can't be answered, as no RocksDB is loaded: the caller
// looked up the function and found the hook.
void SayThatNobodyAnswers(Hook hook) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_WAY_H_
