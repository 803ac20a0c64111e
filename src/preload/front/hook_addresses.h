// Addresses of the functions that this library exports in place of RocksDB's (hooks.cc).

#ifndef WINNOW_SRC_PRELOAD_FRONT_HOOK_ADDRESSES_H_
#define WINNOW_SRC_PRELOAD_FRONT_HOOK_ADDRESSES_H_

#include "src/preload/hook_list.h"

namespace winnow::preload {

// Returns the address of the hook.
const void* AddressOf(Hook hook) noexcept;

// Returns the mangled name of the hook, and of RocksDB's function.
const char* SymbolOf(Hook hook) noexcept;

// Returns ParametersOf() of hook_types.h, which needs RocksDB's headers.
const char* ParametersOfHook(Hook hook) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_HOOK_ADDRESSES_H_
