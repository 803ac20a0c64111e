// Declarations of the source that make_thunks.cmake generates. The plugin that is bound at run time
// calls RocksDB through its thunks.

#ifndef WINNOW_SRC_PRELOAD_BOUND_THUNKS_H_
#define WINNOW_SRC_PRELOAD_BOUND_THUNKS_H_

#include <cstddef>

// Targets of the plugin's calls of RocksDB's functions and of operators new and delete.
extern "C" void* winnow_thunk_table[];

namespace winnow::preload {

// Mangled name of the function of each place in the table.
extern const char* const kThunkNames[];
extern const size_t kNumThunks;
extern void** const kThunkTable;

// Vtables and constants that the plugin has copies of.
struct Copied {
  const char* name;
  char* place;
  size_t room;
};
extern const Copied kCopied[];
extern const size_t kNumCopied;

// Sizes of vtables in bytes, by the headers that this was compiled with.
struct TableSize {
  const char* name;
  size_t size;
};
extern const TableSize kTableSizes[];
extern const size_t kNumTableSizes;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_BOUND_THUNKS_H_
