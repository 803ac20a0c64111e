// The objects that are loaded in this process: the program, libraries and what it opened.
//
// An object goes by an address in it. Nothing here keeps one loaded. Safe from any thread; nothing
// throws, and where memory is short, less is found.

#ifndef WINNOW_SRC_PRELOAD_FRONT_LOADED_OBJECTS_H_
#define WINNOW_SRC_PRELOAD_FRONT_LOADED_OBJECTS_H_

#include <cstddef>
#include <cstdint>

namespace winnow::preload {

// How often objects were loaded and unloaded: as long as it is the same, the objects are.
struct LoadCount {
  uint64_t loaded;
  uint64_t unloaded;
};
LoadCount CountLoads() noexcept;

// The place in the order in which objects were loaded, from 0 (the program) on; kNoObject if the
// address is in none.
inline constexpr size_t kNoObject = SIZE_MAX;
size_t ObjectOf(const void* address) noexcept;

// Whether both addresses are in one object.
bool InSameObject(const void* one, const void* other) noexcept;

// Whether the runtime library of a sanitizer is among them.
bool HasSanitizer() noexcept;

// What the linker finds for the symbol, a mangled name, in the object in which the address lies and
// its dependencies, in this order; null if nothing. For the program itself that is what is found in
// the global scope, which begins with it.
void* FindFrom(const void* address, const char* symbol) noexcept;

// Calls visit(context, definition) with each definition of the symbol in any object, in the order
// in which they were loaded, as long as it returns true. A definition may be visited repeatedly.
void ForEachDefinition(const char* symbol, bool (*visit)(void* context, void* definition),
                       void* context) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_LOADED_OBJECTS_H_
