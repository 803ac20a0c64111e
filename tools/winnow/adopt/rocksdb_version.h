// The version of the RocksDB in an archive.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_ROCKSDB_VERSION_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_ROCKSDB_VERSION_H_

#include <string>

#include "tools/winnow/adopt/archive.h"

namespace winnow::inspect {

// Returns the version, as "7.8.3". An archive has no text of it, so the function that returns the
// version is linked with a small program of `ours`, which is run; temporary files are made in
// `folder`. On failure the result is empty and *reason is a clause about the archive.
std::string TellVersion(const Archive& archive, const Archive& ours, const std::string& folder,
                        std::string* reason);

// Returns true if a member of Winnow's archive is that small program, which is left out of copies.
bool IsVersionTeller(const Member& member);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_ROCKSDB_VERSION_H_
