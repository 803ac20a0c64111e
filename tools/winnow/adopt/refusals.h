// Checks whether `winnow adopt` must refuse an archive. Messages are the end of a sentence that
// begins with the archive's name, and say what was expected, what was found, and what to do; an
// empty message accepts the archive.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_REFUSALS_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_REFUSALS_H_

#include <map>
#include <string>

#include "tools/winnow/adopt/archive.h"

namespace winnow::inspect {

// Checks the contents of the archive. `names` maps RocksDB's names of the replaced functions to the
// names that they get.
std::string WhyRefused(const Archive& archive, const std::map<std::string, std::string>& names);

// Checks the version of the archive's RocksDB, and that it defines what Winnow's object files need.
// WhyRefused() must have accepted the archive.
std::string WhyVersionIsRefused(const Archive& archive, const Archive& ours,
                                const std::map<std::string, std::string>& names,
                                const std::string& version);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_REFUSALS_H_
