// Replacements of functions that the host may lack.

#ifndef WINNOW_SRC_PRELOAD_BOUND_ABSENT_FUNCTIONS_H_
#define WINNOW_SRC_PRELOAD_BOUND_ABSENT_FUNCTIONS_H_

namespace winnow::preload {

// Returns a replacement for a symbol, a mangled name, or null if there is none. Operators new and
// delete use malloc, like those of the C++ library. Functions of RocksDB that the host never calls,
// so that its linker left them out, and that Winnow can do without, return NotSupported.
void* AbsentFunction(const char* symbol) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_BOUND_ABSENT_FUNCTIONS_H_
