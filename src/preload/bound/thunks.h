// Declares what make_thunks.cmake writes: how the plugin that is bound at run time comes to
// RocksDB.

#ifndef WINNOW_SRC_PRELOAD_BOUND_THUNKS_H_
#define WINNOW_SRC_PRELOAD_BOUND_THUNKS_H_

#include <cstddef>

// Through it go the plugin's calls of RocksDB's functions and of operators new and delete.
extern "C" void* winnow_thunk_table[];

namespace winnow::preload {

// The function of each place in the table, by its mangled name.
extern const char* const kThunkNames[];
extern const size_t kNumThunks;
extern void** const kThunkTable;

// Tables of virtual functions and constants, of which the plugin has copies.
struct Copied {
  const char* name;
  char* place;
  size_t room;
};
extern const Copied kCopied[];
extern const size_t kNumCopied;

// The sizes in bytes of tables of virtual functions, by the headers that this was compiled with.
struct TableSize {
  const char* name;
  size_t size;
};
extern const TableSize kTableSizes[];
extern const size_t kNumTableSizes;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_BOUND_THUNKS_H_
