// Forked processes, none of which outlives its parent.

#ifndef WINNOW_SRC_WORKERS_CHILD_PROCESSES_H_
#define WINNOW_SRC_WORKERS_CHILD_PROCESSES_H_

#include <sys/types.h>

namespace winnow::inspect {

// Forks, like fork(). The child has the default actions of termination signals, and is killed by
// the kernel if the calling thread ends first.
pid_t ForkChild();

// Waits for a child of ForkChild to end, and returns its status in the form of waitpid.
int WaitForChild(pid_t child);

// Kills all children that have not been waited for, and waits for them. Async-signal-safe.
void KillChildren() noexcept;

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_WORKERS_CHILD_PROCESSES_H_
