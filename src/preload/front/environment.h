// Reads what the environment asks of the interposer, as far as that matters before any RocksDB is
// loaded.

#ifndef WINNOW_SRC_PRELOAD_FRONT_ENVIRONMENT_H_
#define WINNOW_SRC_PRELOAD_FRONT_ENVIRONMENT_H_

#include "src/base/stderr_line.h"

namespace winnow::preload {

// Reads the environment. To be called when the library is loaded, as programs write over their
// environment. Before that, the functions below find nothing.
void ReadEnvironment() noexcept;

// Returns whether to say what is done: WINNOW_LOG is set, and neither empty nor 0.
bool IsLogging() noexcept;

// Returns whether WINNOW_POLICY is set, and neither empty nor "stock".
bool HasPolicy() noexcept;

// Adds to the line what is wrong in the environment, each as "; " and a sentence: a variable that
// begins with WINNOW_ and is none of ours, and a value of ours that does not do what it seems to.
// Only if IsLogging().
void AddEnvironmentProblems(base::StderrLine* line) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_ENVIRONMENT_H_
