// Memory and disk that are free at the moment.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_FREE_ROOM_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_FREE_ROOM_H_

#include <cstdint>
#include <optional>
#include <string>

namespace winnow::bench {

// Bytes that programs can have without swapping: what the kernel says of the machine
// (MemAvailable), or less where a control group (version 2, this process's own) has a limit. Unset
// where neither is known.
std::optional<uint64_t> AvailableMemory();

// Bytes that this user may write to the disk of the folder or, if it isn't there yet, of the
// nearest one above it that is. Unset if it isn't known.
std::optional<uint64_t> FreeDisk(const std::string& folder);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_FREE_ROOM_H_
