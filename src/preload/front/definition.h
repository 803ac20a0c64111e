// Definition that a hook replaces: the one that its caller would have called without the preloaded
// library.
//
// The dynamic linker searches a preloaded library right after the program, before all others. So a
// call of a RocksDB function arrives at the hook, whichever RocksDB it was meant for. A process may
// have several: a shared one, and others in libraries that the program opened. Each caller must get
// its own, so the hook searches again, in the linker's order and without this library.
//
// The order is specified by ELF (System V ABI, "Shared Object Dependencies"; dlopen(3) and dlsym(3)
// for Linux): first the global scope, which is the program, preloaded libraries, and the program's
// dependencies, breadth first. Then, for an object that was opened by dlopen, this object and its
// own dependencies. RTLD_NEXT searches the global scope after this library. dlsym on the caller's
// object searches that object and its dependencies.

#ifndef WINNOW_SRC_PRELOAD_FRONT_DEFINITION_H_
#define WINNOW_SRC_PRELOAD_FRONT_DEFINITION_H_

#include "src/preload/hook_list.h"

namespace winnow::preload {

// Finds the definition of the function whose hook was called. `caller` is the address to which the
// hook will return, or another address in the object that refers to the function. Returns null if
// no object but this library defines it.
//
// If one object defines the function, returns this definition. If several do, returns the one that
// the linker would have found for the caller: the definition in the global scope after this
// library; or the one among the caller's own dependencies, if there is none in the global scope, or
// if the caller's object was loaded before the object of that one.
//
// If the caller's object knows no definition, it did not make the call: a tail call by another
// object (`return NewBloomFilterPolicy(10);`) leaves only the return address of that object's own
// caller. Then the callers above it are tried likewise. If none of them knows a definition, returns
// the first one that was loaded.
//
// Thread-safe. May call malloc, as the linker's functions do.
struct Definition {
  void* function;
  bool is_only;  // true if no other object defines the function
};
Definition FindDefinition(Hook hook, const void* caller) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_DEFINITION_H_
