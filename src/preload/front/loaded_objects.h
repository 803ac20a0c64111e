// The objects that are loaded in this process: the program, its libraries, and what it opened by
// dlopen.
//
// An object is given by an address in it. Nothing here keeps an object loaded. Safe from any
// thread. Nothing throws; if memory is short, less is found.

#ifndef WINNOW_SRC_PRELOAD_FRONT_LOADED_OBJECTS_H_
#define WINNOW_SRC_PRELOAD_FRONT_LOADED_OBJECTS_H_

#include <cstddef>
#include <cstdint>

namespace winnow::preload {

// How often objects were loaded and unloaded. While this is the same, so are the objects.
struct LoadCount {
  uint64_t loaded;
  uint64_t unloaded;
};
LoadCount CountLoads() noexcept;

// The place in the order in which objects were loaded, from 0 (the program) on; kNoObject if the
// address is in none.
inline constexpr size_t kNoObject = SIZE_MAX;
size_t ObjectOf(const void* address) noexcept;

// Returns whether both addresses are in one object.
bool InSameObject(const void* one, const void* other) noexcept;

// Returns whether the runtime library of a sanitizer is among the objects.
bool HasSanitizer() noexcept;

// Returns what the linker finds for the symbol, a mangled name, in the object of this address and
// then in its dependencies; null if nothing. For the program itself it searches the global scope,
// which begins with the program.
void* FindFrom(const void* address, const char* symbol) noexcept;

// Calls visit(context, definition) with each definition of the symbol in any object, in the order
// in which they were loaded, as long as it returns true. A definition may be visited repeatedly.
void ForEachDefinition(const char* symbol, bool (*visit)(void* context, void* definition),
                       void* context) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_LOADED_OBJECTS_H_
