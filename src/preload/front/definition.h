// The definition that a hook stands in for: the one that its caller would have got without us.

#ifndef WINNOW_SRC_PRELOAD_FRONT_DEFINITION_H_
#define WINNOW_SRC_PRELOAD_FRONT_DEFINITION_H_

#include "src/preload/hook_list.h"

namespace winnow::preload {

// Of the function whose hook was called and will return to `caller`, or to any other address in the
// object that has the linker look for it. Null if no object defines the function but this library.
//
// Where one object defines it, it is that one. Where several do, what the linker would have found
// for the caller: the definition in the global scope behind this library, unless the caller's
// object was loaded before that one and has a definition among its own dependencies, or there is
// none in the global scope. A caller's object that knows of no definition did not make the call: a
// tail call by another one (`return NewBloomFilterPolicy(10);`) leaves only the address behind that
// one's own call. Then the callers above are asked in the same way. If none of them knows any, it
// is the first definition that was loaded.
//
// Safe from any thread. May call malloc, as the linker's functions do.
struct Definition {
  void* function;
  bool is_only;  // whoever calls: no other object defines the function
};
Definition FindDefinition(Hook hook, const void* caller) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_DEFINITION_H_
