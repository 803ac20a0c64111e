// Which way a call goes that arrived at a hook.

#ifndef WINNOW_SRC_PRELOAD_FRONT_WAY_H_
#define WINNOW_SRC_PRELOAD_FRONT_WAY_H_

#include "src/preload/hook_list.h"

namespace winnow::preload {

struct Way {
  // The definition that the caller would have got without us; null: there is none.
  void* stock;

  // Of the plugin, if that definition is of the RocksDB that it is bound to, or null.
  void* handler;
};

// `caller` is the address to which the hook will return, or any other in the object that has the
// linker look for the function. Says what is due on stderr. Safe from any
// thread; nothing throws.
Way FindWay(Hook hook, const void* caller) noexcept;

// Where WINNOW_LOG is 1: that the call can't be answered, as no RocksDB is loaded. Who calls has
// asked the linker for the function and found our hook.
void SayThatNobodyAnswers(Hook hook) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_WAY_H_
