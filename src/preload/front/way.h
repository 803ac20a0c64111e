// Where a call goes that arrived at a hook.

#ifndef WINNOW_SRC_PRELOAD_FRONT_WAY_H_
#define WINNOW_SRC_PRELOAD_FRONT_WAY_H_

#include "src/preload/hook_list.h"

namespace winnow::preload {

struct Way {
  // The definition that the caller would have got without us; null: there is none.
  void* stock;

  // The plugin's handler, if that definition is in the RocksDB that the plugin is bound to; else
  // null.
  void* handler;
};

// `caller` is the address to which the hook will return, or another address in the object for which
// the linker looked for the function. Prints what is due on stderr. Safe from any thread; nothing
// throws.
Way FindWay(Hook hook, const void* caller) noexcept;

// With WINNOW_LOG=1, says that the call can't be answered, as no RocksDB is loaded: the caller
// asked the linker for the function and found our hook.
void SayThatNobodyAnswers(Hook hook) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_WAY_H_
