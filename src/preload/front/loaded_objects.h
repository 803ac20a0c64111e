// Loaded objects of this process: the program, its libraries, and objects that were opened by
// dlopen.
//
// An object is given by an address in it. No function keeps an object loaded. Thread-safe. Nothing
// throws; if out of memory, less is found.

#ifndef WINNOW_SRC_PRELOAD_FRONT_LOADED_OBJECTS_H_
#define WINNOW_SRC_PRELOAD_FRONT_LOADED_OBJECTS_H_

#include <cstddef>
#include <cstdint>

namespace winnow::preload {

// Returns the number of loads and unloads. While it is unchanged, so are the objects.
uint64_t CountLoads() noexcept;

// Returns the object's position in the order of loading, from 0 (the program) on; kNoObject if the
// address is in no object.
inline constexpr size_t kNoObject = SIZE_MAX;
size_t ObjectOf(const void* address) noexcept;

// Returns whether both addresses are in one object.
bool InSameObject(const void* one, const void* other) noexcept;

// Returns the definition that the linker finds for the symbol, a mangled name, in the object of
// this address and then in its dependencies; null if there is none. For the program itself,
// searches the global scope, which begins with the program.
void* FindFrom(const void* address, const char* symbol) noexcept;

// Calls visit(context, definition) with each definition of the symbol in any object, in the order
// of loading, while it returns true. A definition may be visited repeatedly.
void ForEachDefinition(const char* symbol, bool (*visit)(void* context, void* definition),
                       void* context) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_LOADED_OBJECTS_H_
