// Which archives `winnow adopt` refuses, and why: the end of a sentence that begins with the
// archive's name, with what was expected, what was found, and what to do. Empty: it is not refused.

#ifndef WINNOW_TOOLS_WINNOW_ADOPT_REFUSALS_H_
#define WINNOW_TOOLS_WINNOW_ADOPT_REFUSALS_H_

#include <map>
#include <string>

#include "tools/winnow/adopt/archive.h"

namespace winnow::inspect {

// By what is in the archive. `names` has RocksDB's names of the functions that get others, with
// these.
std::string WhyRefused(const Archive& archive, const std::map<std::string, std::string>& names);

// By its version, and by what object files of ours need of that. To be asked about archives that
// are not refused otherwise.
std::string WhyVersionIsRefused(const Archive& archive, const Archive& ours,
                                const std::map<std::string, std::string>& names,
                                const std::string& version);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADOPT_REFUSALS_H_
