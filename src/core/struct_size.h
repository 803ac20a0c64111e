// Conversion of public structs that grow, between this library and a program that was compiled with
// another version (winnow/version.h).

#ifndef WINNOW_SRC_CORE_STRUCT_SIZE_H_
#define WINNOW_SRC_CORE_STRUCT_SIZE_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "winnow/version.h"

namespace winnow::core {

// Returns a copy of the caller's struct; members that the caller lacks have their defaults.
template <typename Struct>
Struct OfCaller(const Struct* given, size_t size) noexcept {
  static_assert(std::is_trivially_copyable_v<Struct>);
  Struct known;
  std::memcpy(static_cast<void*>(&known), given, std::min(size, sizeof known));
  return known;
}

// Sets the members that the caller has; members that only the caller knows are unchanged.
template <typename Struct>
void ForCaller(const Struct& known, Struct* theirs, size_t size) noexcept {
  static_assert(std::is_trivially_copyable_v<Struct>);
  std::memcpy(static_cast<void*>(theirs), &known, std::min(size, sizeof known));
}

// Returns an empty string if this library knows all members of the caller's struct, else an error
// message.
inline std::string CheckStructSize(const char* name, size_t size, size_t known) {
  if (size <= known) return {};
  return std::string("the program was compiled with a later Winnow: its ") + name + " has " +
         std::to_string(size) + " bytes, of which Winnow " + Version() +
         ", which is loaded, knows " + std::to_string(known) +
         "; install the version of the program's headers, or a later one";
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_STRUCT_SIZE_H_
