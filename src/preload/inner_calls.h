// Checks whether a library's calls of its own functions can be replaced.

#ifndef WINNOW_SRC_PRELOAD_INNER_CALLS_H_
#define WINNOW_SRC_PRELOAD_INNER_CALLS_H_

#include <optional>
#include <string>

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Returns whether RocksDB's own calls of a function that a hook stands in for, through its tables
// of virtual functions too, go by the dynamic linker (asks_linker.h). Unset where it can't be seen,
// and false where RocksDB does not show the function. Safe from any thread.
std::optional<bool> IsReplaced(Hook hook) noexcept;

// Returns what is said where RocksDB calls some of the functions that make filter policies without
// asking the dynamic linker, so that the interposer gets programs' calls only; empty if it does
// not.
std::string UnreplacedCalls();

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_INNER_CALLS_H_
