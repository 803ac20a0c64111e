// The functions that this library exports in the place of RocksDB's.

#ifndef WINNOW_SRC_PRELOAD_FRONT_HOOKS_H_
#define WINNOW_SRC_PRELOAD_FRONT_HOOKS_H_

#include "src/preload/hook_list.h"

namespace winnow::preload {

// The address of ours.
const void* AddressOf(Hook hook) noexcept;

// The name by which the linker knows it, and RocksDB's.
const char* SymbolOf(Hook hook) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_HOOKS_H_
