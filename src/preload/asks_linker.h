// Check for dynamic symbol references of a loaded object. Needs only the C library.

#ifndef WINNOW_SRC_PRELOAD_ASKS_LINKER_H_
#define WINNOW_SRC_PRELOAD_ASKS_LINKER_H_

#include <optional>

namespace winnow::preload {

// Returns whether the loaded object at `address` makes the dynamic linker resolve this symbol, a
// mangled name, so that a preloaded library can interpose it. An object that defines the symbol
// does not if it was linked with -Bsymbolic-functions, compiled with LTO, or hides the symbol.
// Returns nullopt if unknown. Allocates nothing. Thread-safe.
std::optional<bool> AsksLinkerFor(const void* address, const char* symbol) noexcept;

// Returns the address that the object calls or reads by this symbol: an address in the object
// itself if it has not called it yet, and null if it does not reference the symbol dynamically.
const void* CalledBy(const void* address, const char* symbol) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_ASKS_LINKER_H_
