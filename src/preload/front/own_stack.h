// Execution of a function on a separate stack.

#ifndef WINNOW_SRC_PRELOAD_FRONT_OWN_STACK_H_
#define WINNOW_SRC_PRELOAD_FRONT_OWN_STACK_H_

namespace winnow::preload {

// Calls work() in this thread, but on another stack, so that the program's stack is unchanged.
// Functions leave values on the stack when they return, and programs find these in uninitialized
// variables. Some depend on them: sortmerna then prints more than it would. If there is no memory
// for another stack, if the C library can't change stacks, or if a sanitizer is in the process,
// work() runs on the program's stack.
//
// This is not thread-safe. Does not throw.
void RunOnOwnStack(void (*work)()) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_OWN_STACK_H_
