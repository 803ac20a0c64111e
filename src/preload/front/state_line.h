// The one line in which a process says, where WINNOW_LOG is 1, whether Winnow is in force and why
// not: at the first call that the plugin gets, or when the process ends.

#ifndef WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_
#define WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_

namespace winnow::preload {

// To be called when the library is loaded.
void BeginProcess() noexcept;

// A function of the RocksDB that the plugin was built for is called. Says the line if it was not
// said. If the plugin refuses this RocksDB and WINNOW_POLICY asks for it, says so in any case.
void SayAtCall() noexcept;

// A program reads an options string (`size` bytes) for a filter policy. If it names Winnow's and
// the plugin is not in force, that is said in any case, once: RocksDB drops the policy in silence.
void SayIfPolicyIsLost(const char* options, unsigned long size) noexcept;

// Says the line if it was not said. Not in a process that was forked and runs on without exec: the
// one that it comes from speaks for it.
void SayAtEnd() noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_
