// Policy in force of a database whose OPTIONS file does not name it.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_POLICY_OF_FILES_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_POLICY_OF_FILES_H_

#include <string>
#include <vector>

#include "tools/winnow/advise/advice_files.h"

namespace winnow::inspect {

// Returns the policy that a preloaded library, or one in an adopted archive, has put in the place
// of the OPTIONS file's, as an options string. It is known by the family's newest filter: Winnow's,
// under the name of another policy. Its bits per key follow from the rates that filters note, and
// are approximate unless the plan is uniform. Returns an empty string if the policy of the OPTIONS
// file is in force, as far as filters tell.
std::string PolicyOfFiles(const AdvisedFamily& family);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_POLICY_OF_FILES_H_
