// Currently free memory and disk space.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_FREE_ROOM_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_FREE_ROOM_H_

#include <cstdint>
#include <optional>
#include <string>

namespace winnow::bench {

// Returns the bytes available without swapping: the kernel's MemAvailable, or less if this
// process's own control group (version 2) has a limit. Returns nullopt if neither is known.
std::optional<uint64_t> AvailableMemory();

// Returns the bytes that this user may write to the disk of the folder or, if it does not exist, of
// its nearest existing ancestor. Returns nullopt if unknown.
std::optional<uint64_t> FreeDisk(const std::string& folder);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_FREE_ROOM_H_
