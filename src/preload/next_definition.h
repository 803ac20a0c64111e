// The definition that a function of ours stands in for.

#ifndef WINNOW_SRC_PRELOAD_NEXT_DEFINITION_H_
#define WINNOW_SRC_PRELOAD_NEXT_DEFINITION_H_

namespace winnow::preload {

// The address of the next definition of the function that `hook`, an exported function of this
// library, replaces: behind this library in the order in which the dynamic linker searches, by the
// name that the linker has for the hook. Ends the program with a sentence on stderr if there is
// none: a caller can't go on then. Safe from any thread.
void* NextDefinition(void* hook) noexcept;

// The same for a function of this type, by which the right one of several of a name is taken:
//   static const auto next = Next<Status(const Options&, const std::string&, DB**)>(&DB::Open);
template <typename Function>
Function* Next(Function* hook) noexcept {
  return reinterpret_cast<Function*>(NextDefinition(reinterpret_cast<void*>(hook)));
}

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_NEXT_DEFINITION_H_
