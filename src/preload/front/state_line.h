// State line on stderr: with WINNOW_LOG=1, a process reports once whether Winnow is in force, and
// if not, why. Printed at the first call that the plugin gets, when a RocksDB is loaded that Winnow
// does not reach, or when the process ends. With WINNOW_REQUIRE=1, such a RocksDB ends the process.

#ifndef WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_
#define WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_

namespace winnow::preload {

struct Host;

// Exit status of a process that WINNOW_REQUIRE=1 ends, as of `winnow run` if it starts nothing.
inline constexpr int kRequiredStatus = 125;

// Must be called when the library is loaded.
void BeginProcess() noexcept;

// Looks for a RocksDB that Winnow does not reach among the objects that were loaded since the last
// call, and reports it if WINNOW_POLICY or WINNOW_LOG is set. Ends the process with kRequiredStatus
// if WINNOW_REQUIRE is.
void CheckLoadedObjects() noexcept;

// Does the same if the object with this address defines RocksDB's functions. Called while the
// linker constructs the object.
void CheckObject(const void* address) noexcept;

// Prints a line when a function of the host is called, once per host. If Winnow does not serve this
// RocksDB and WINNOW_POLICY is set, reports this even without WINNOW_LOG.
void SayAtCall(Host* host) noexcept;

// Called when a program reads an options string (`size` bytes) for a filter policy. If it names
// Winnow's and the plugin is not in force, reports this once, even without WINNOW_LOG, because
// RocksDB drops the policy silently. `caller` is that of FindWay().
void SayIfPolicyIsLost(const void* caller, const char* options, unsigned long size) noexcept;

// Prints the line, unless it was printed, when the process ends, after a last look for a RocksDB
// that Winnow does not reach. Does nothing in a process that was forked and continues without exec:
// its parent prints the line.
void SayAtEnd() noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_STATE_LINE_H_
