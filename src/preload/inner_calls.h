// Check whether a library's calls of its own functions can be interposed.

#ifndef WINNOW_SRC_PRELOAD_INNER_CALLS_H_
#define WINNOW_SRC_PRELOAD_INNER_CALLS_H_

#include <optional>
#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Returns whether RocksDB's own calls of a hooked function, including those through its vtables,
// are resolved by the dynamic linker (asks_linker.h). Returns nullopt if unknown, and false if
// RocksDB does not export the function. Thread-safe.
std::optional<bool> IsReplaced(Hook hook) noexcept;

// Returns a message if RocksDB calls some of the functions that make filter policies without the
// dynamic linker, so that the interposer gets only the program's calls; else an empty string.
std::string UnreplacedCalls();

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_INNER_CALLS_H_
