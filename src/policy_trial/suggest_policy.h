// "Did you mean …?" for filter policies.

#ifndef WINNOW_SRC_POLICY_TRIAL_SUGGEST_POLICY_H_
#define WINNOW_SRC_POLICY_TRIAL_SUGGEST_POLICY_H_

#include <absl/strings/string_view.h>

#include <string>

namespace winnow::inspect {

// An options string that works here wherever it is written, and that is near to the one given, with
// braces if that has options: the closest names of the policy and of Winnow's options, each with
// the value nearest to the one given, or its usual one where that is no number or is AsksForNoBits.
// A built-in policy with options between braces becomes "bloomfilter:10" or the like where it takes
// none. Winnow for a string that is near to nothing. Empty if even that does not work.
std::string SuggestPolicy(absl::string_view options_string);

// Returns whether the bits a key are a number that RocksDB takes for "no filter": one below a half.
bool AsksForNoBits(absl::string_view options_string);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_SUGGEST_POLICY_H_
