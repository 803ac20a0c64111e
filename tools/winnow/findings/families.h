// Column families selected by name.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_FAMILIES_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_FAMILIES_H_

#include <set>
#include <string>
#include <vector>

#include "src/sst/sst_filters.h"

namespace winnow::inspect {

// Returns the known column families of the files.
std::set<std::string> FamiliesOf(const std::vector<SstReport>& files);

// Returns a sentence with the wanted families that are not among `names`, and with `names`; empty
// if all exist.
std::string UnknownFamilies(const std::set<std::string>& names,
                            const std::vector<std::string>& wanted);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_FAMILIES_H_
