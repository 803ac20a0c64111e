// The definition that a hook stands in for: the one that its caller would have got without us.
//
// The dynamic linker searches a preloaded library right after the program, before all others. So a
// call of a RocksDB function arrives at our hook, whichever RocksDB it was meant for. A process may
// have several: a shared one, and others in libraries that the program opened. Each caller must get
// its own, so the hook searches again, in the linker's order and without this library.
//
// The order is the one of ELF's specification (System V ABI, "Shared Object Dependencies";
// dlopen(3) and dlsym(3) for Linux): first the global scope, which is the program, what is
// preloaded, and the program's dependencies, breadth first. Then, for an object that was opened by
// dlopen, that object and its own dependencies. RTLD_NEXT searches the global scope behind this
// library. dlsym on the caller's object searches that object and its dependencies.

#ifndef WINNOW_SRC_PRELOAD_FRONT_DEFINITION_H_
#define WINNOW_SRC_PRELOAD_FRONT_DEFINITION_H_

#include "src/preload/hook_list.h"

namespace winnow::preload {

// Finds the definition of the function whose hook was called. `caller` is the address to which the
// hook will return, or another address in the object for which the linker looked for the function.
// Null if no object but this library defines it.
//
// If one object defines the function, it is that definition. If several do, it is what the linker
// would have found for the caller: the definition in the global scope behind this library; or the
// one among the caller's own dependencies, if there is none in the global scope, or if the caller's
// object was loaded before the object of that one.
//
// If the caller's object knows no definition, it did not make the call: a tail call by another
// object (`return NewBloomFilterPolicy(10);`) leaves only the address behind that object's own
// call. Then the callers above it are asked in the same way. If none of them knows a definition, it
// is the first one that was loaded.
//
// Safe from any thread. May call malloc, as the linker's functions do.
struct Definition {
  void* function;
  bool is_only;  // whoever calls: no other object defines the function
};
Definition FindDefinition(Hook hook, const void* caller) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_DEFINITION_H_
