// Suggestions for invalid filter policies: "Did you mean ...?"

#ifndef WINNOW_SRC_POLICY_TRIAL_SUGGEST_POLICY_H_
#define WINNOW_SRC_POLICY_TRIAL_SUGGEST_POLICY_H_

#include <absl/strings/string_view.h>

#include <string>

namespace winnow::inspect {

// Returns an options string that works wherever it is written, and that is near to the given one,
// with braces if that has options: the closest names of the policy and of Winnow's options, each
// with the value nearest to the given one, or its default if that is not a number or is
// AsksForNoBits. A built-in policy with options in braces becomes "bloomfilter:10" or similar if it
// takes none. Returns Winnow's policy if the string is not near to anything, and an empty string if
// not even that works.
std::string SuggestPolicy(absl::string_view options_string);

// Returns whether the bits per key are a number that RocksDB treats as "no filter": less than a
// half.
bool AsksForNoBits(absl::string_view options_string);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_SUGGEST_POLICY_H_
