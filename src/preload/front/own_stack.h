// Running something on a stack of its own.

#ifndef WINNOW_SRC_PRELOAD_FRONT_OWN_STACK_H_
#define WINNOW_SRC_PRELOAD_FRONT_OWN_STACK_H_

namespace winnow::preload {

// Calls work(), in this thread. What is left on a stack by functions that have returned is found by
// the program in variables that it never sets, and there are programs that go by them: sortmerna
// then says more than it would say. So the program's stack stays as it was. Where there is no
// memory for another one, the C library can't change stacks, or a sanitizer is in the process,
// work() is called on the program's.
//
// Not safe from several threads at once; nothing throws.
void RunOnOwnStack(void (*work)()) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_OWN_STACK_H_
