// The one line in which a process with WINNOW_LOG=1 says whether Winnow is in force, and if not,
// why. It comes at the first call that the plugin gets, or when the process ends.

#ifndef WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_
#define WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_

namespace winnow::preload {

struct Carried;

// To be called when the library is loaded.
void BeginProcess() noexcept;

// A function of the RocksDB that the plugin was built for is called. Prints the line, if it was not
// printed. If the plugin refuses this RocksDB and WINNOW_POLICY is set, says so in any case.
void SayAtCall() noexcept;

// The same of a RocksDB that a library carries inside, each with a line of its own.
void SayAtCallOf(Carried* carried) noexcept;

// A program reads an options string (`size` bytes) for a filter policy. If it names Winnow's and
// the plugin is not in force, says so once, in any case, because RocksDB drops the policy in
// silence. `caller` as FindWay() has it.
void SayIfPolicyIsLost(const void* caller, const char* options, unsigned long size) noexcept;

// Prints the line, if it was not printed. Not in a process that was forked and continues without
// exec: its parent prints it.
void SayAtEnd() noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_
