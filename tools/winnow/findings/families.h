// Column families that are chosen by their names.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_FAMILIES_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_FAMILIES_H_

#include <set>
#include <string>
#include <vector>

#include "src/sst/sst_filters.h"

namespace winnow::inspect {

// The column families of files that have one.
std::set<std::string> FamiliesOf(const std::vector<SstReport>& files);

// The families that were asked for by these texts, where there are those names: each text is a name
// as it is, or else a list with commas.
std::vector<std::string> FamiliesNamed(const std::vector<std::string>& texts,
                                       const std::set<std::string>& names);

// The wanted families that are none of these names: a sentence that names those that there are.
// Empty: there is none such.
std::string UnknownFamilies(const std::set<std::string>& names,
                            const std::vector<std::string>& wanted);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_FAMILIES_H_
