// Checks whether a loaded object has the dynamic linker look for a symbol. Needs the C library
// alone.

#ifndef WINNOW_SRC_PRELOAD_ASKS_LINKER_H_
#define WINNOW_SRC_PRELOAD_ASKS_LINKER_H_

#include <optional>

namespace winnow::preload {

// Returns whether the loaded object in which `address` lies has the dynamic linker look for this
// symbol, a mangled name, so that a preloaded library can stand in for it. An object that defines
// the symbol and was linked with -Bsymbolic-functions, compiled with LTO or hides it, doesn't.
// Unset where it can't be seen. Allocates nothing. Safe from any thread.
std::optional<bool> AsksLinkerFor(const void* address, const char* symbol) noexcept;

// Returns what such an object calls or reads by this symbol. An address in the object itself where
// it has not called it yet, and null where it does not ask the linker.
const void* CalledBy(const void* address, const char* symbol) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_ASKS_LINKER_H_
