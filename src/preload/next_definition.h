// The definition that a function of ours stands in for.

#ifndef WINNOW_SRC_PRELOAD_NEXT_DEFINITION_H_
#define WINNOW_SRC_PRELOAD_NEXT_DEFINITION_H_

namespace winnow::preload {

// The address of the next definition of `symbol`, a mangled name, behind this library in the order
// in which the dynamic linker searches. Ends the program with a sentence on stderr if there is
// none: a caller can't go on then. Safe from any thread.
void* NextDefinition(const char* symbol) noexcept;

// The same as a pointer to a function of this type, which must be the one that `symbol` says.
template <typename Function>
Function* Next(const char* symbol) noexcept {
  return reinterpret_cast<Function*>(NextDefinition(symbol));
}

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_NEXT_DEFINITION_H_
