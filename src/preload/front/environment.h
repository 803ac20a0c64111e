// Environment variables of the interposer, as far as needed before any RocksDB is loaded.

#ifndef WINNOW_SRC_PRELOAD_FRONT_ENVIRONMENT_H_
#define WINNOW_SRC_PRELOAD_FRONT_ENVIRONMENT_H_

#include "src/base/stderr_line.h"

namespace winnow::preload {

// Reads the environment. Must be called when the library is loaded, as programs overwrite their
// environment. Before that, the functions below return defaults.
void ReadEnvironment() noexcept;

// Returns whether actions are reported: WINNOW_LOG is set, and neither empty nor 0.
bool IsLogging() noexcept;

// Returns whether WINNOW_POLICY is set, and neither empty nor "stock".
bool HasPolicy() noexcept;

// Returns whether a process must not use a RocksDB that Winnow does not reach: WINNOW_REQUIRE is
// set, and neither empty nor 0.
bool IsRequired() noexcept;

// Adds the errors in the environment to the line, each as "; " and a sentence: an unknown variable
// that begins with WINNOW_, or a misleading value; WINNOW_RANGE_BITS is checked by the plugin,
// which parses it. Does nothing unless IsLogging().
void AddEnvironmentProblems(base::StderrLine* line) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_ENVIRONMENT_H_
