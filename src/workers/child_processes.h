// Processes that this one forks, none of which outlives it.

#ifndef WINNOW_SRC_WORKERS_CHILD_PROCESSES_H_
#define WINNOW_SRC_WORKERS_CHILD_PROCESSES_H_

#include <sys/types.h>

namespace winnow::inspect {

// As fork(). The child has the default actions of signals that end a program from outside, and is
// killed by the system should the calling thread end before it.
pid_t ForkChild();

// Waits until a child of ForkChild has ended; gives its status as waitpid does.
int WaitForChild(pid_t child);

// Kills those children that nobody has waited for, and waits for them. May be called by a signal's
// handler.
void KillChildren() noexcept;

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_WORKERS_CHILD_PROCESSES_H_
