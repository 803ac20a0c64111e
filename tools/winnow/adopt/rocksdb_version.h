// The version of the RocksDB in an archive.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_ROCKSDB_VERSION_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_ROCKSDB_VERSION_H_

#include <string>

#include "tools/winnow/adopt/archive.h"

namespace winnow::inspect {

// As "7.8.3". It is nowhere written in an archive as text: the function that makes it of numbers is
// linked with a small program of `ours`, which is run. Files for that are made in `folder`. Empty,
// and *reason a clause about the archive, if that fails.
std::string TellVersion(const Archive& archive, const Archive& ours, const std::string& folder,
                        std::string* reason);

// Returns whether a member of ours is that small program, which belongs into no copy.
bool IsVersionTeller(const Member& member);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_ROCKSDB_VERSION_H_
