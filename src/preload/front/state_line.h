// State line on stderr: with WINNOW_LOG=1, a process reports once whether Winnow is in force, and
// if not, why. Printed at the first call that the plugin gets, or when the process ends.

#ifndef WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_
#define WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_

namespace winnow::preload {

struct Carried;

// Must be called when the library is loaded.
void BeginProcess() noexcept;

// Prints the line, unless it was printed, when a function of the RocksDB that the plugin was built
// for is called. If the plugin refuses this RocksDB and WINNOW_POLICY is set, reports this even
// without WINNOW_LOG.
void SayAtCall() noexcept;

// Prints a line for a RocksDB inside a library, once per library.
void SayAtCallOf(Carried* carried) noexcept;

// Called when a program reads an options string (`size` bytes) for a filter policy. If it names
// Winnow's and the plugin is not in force, reports this once, even without WINNOW_LOG, because
// RocksDB drops the policy silently. `caller` is that of FindWay().
void SayIfPolicyIsLost(const void* caller, const char* options, unsigned long size) noexcept;

// Prints the line, unless it was printed, when the process ends. Does nothing in a process that was
// forked and continues without exec: its parent prints the line.
void SayAtEnd() noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_
