// Functions to call in the place of those that the host may lack.

#ifndef WINNOW_SRC_PRELOAD_BOUND_ABSENT_FUNCTIONS_H_
#define WINNOW_SRC_PRELOAD_BOUND_ABSENT_FUNCTIONS_H_

namespace winnow::preload {

// For operators new and delete of a host that knows none: those of the C++ library, by malloc. For
// functions of RocksDB without which the rest works, and which a linker has left out because the
// host never calls them: one that answers that it is not supported. Null for any other symbol, a
// mangled name.
void* AbsentFunction(const char* symbol) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_BOUND_ABSENT_FUNCTIONS_H_
