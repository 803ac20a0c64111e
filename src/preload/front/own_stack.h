// Runs a function on a stack of its own.

#ifndef WINNOW_SRC_PRELOAD_FRONT_OWN_STACK_H_
#define WINNOW_SRC_PRELOAD_FRONT_OWN_STACK_H_

namespace winnow::preload {

// Calls work() in this thread, but on another stack, so that the program's stack stays as it was.
// Functions leave values on the stack when they return, and programs find these in variables that
// they never set. Some depend on them: sortmerna then prints more than it would. If there is no
// memory for another stack, if the C library can't change stacks, or if a sanitizer is in the
// process, work() runs on the program's stack.
//
// Not safe from several threads at once; nothing throws.
void RunOnOwnStack(void (*work)()) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_OWN_STACK_H_
