// Verdict on a filter policy's options string: the policy that a database has in force when it is
// opened with the string.
//
// RocksDB silently treats an unknown policy as "no filter". So these functions open databases with
// the string, find the reason of an error, and make the resulting policy build filters.

#ifndef WINNOW_SRC_POLICY_TRIAL_POLICY_CHECK_H_
#define WINNOW_SRC_POLICY_TRIAL_POLICY_CHECK_H_

#include <absl/strings/string_view.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/policy_trial/open_with_policy.h"
#include "src/policy_trial/policy_trial.h"

namespace winnow::inspect {

struct PolicyVerdict {
  std::string asked;  // given text, trimmed, without "filter_policy="
  PolicyOutcome outcome = PolicyOutcome::kNoPolicy;
  std::string in_force;       // text in OPTIONS files; empty if none, or if it depends on the place
  bool reads_winnow = false;  // true if it denies keys by Winnow's filters
  std::string problem;        // reason if the requested filter is not built, as sentences
  std::string suggestion;     // the known name of a policy or option that is meant; may be empty

  std::vector<PolicyOpening> by_place;  // outcomes in the places that were tried
  std::vector<PolicyTrial> by_keys;     // compaction outputs on the last level, of growing size
  std::vector<PolicyTrial> by_level;    // files of one size in all situations, in a full tree
  std::optional<PolicyTree> tree;       // set with by_level
  std::optional<PolicyTrial> file;      // trial of the request's file

  // Returns whether RocksDB asks the policy for filters of compaction outputs on the last level.
  bool last_level_has_filters() const {
    return by_place.empty() || by_place.front().last_level_has_filters;
  }
};

// Returns the name that is probably meant by an unknown one of a policy, or of an option of
// Winnow's: "winnow" for "winow:12", "bits_per_key" for "{id=winnow;bits=12}". Empty if there is
// none.
std::string NameMeant(absl::string_view policy);

// Judges an options string such as "winnow:10", "{id=winnow;bits_per_key=10}" or
// "filter_policy=bloomfilter:10", in every place where it can be written. Any string is allowed.
// The known policies are those that this program has linked or preloaded. With trials, builds
// filters of up to a million keys; or, if `file` is set, of `file`, and of files of its size on all
// levels.
PolicyVerdict CheckPolicy(absl::string_view options_string, bool with_trials,
                          const std::optional<TrialFile>& file = std::nullopt);

// Judges the policy in options of a table, a column family or a database (IsOptionsString), by a
// database with all of these options.
PolicyVerdict CheckOptionsString(absl::string_view text, bool with_trials,
                                 const std::optional<TrialFile>& file = std::nullopt);

// Judges the value of a filter_policy in an OPTIONS file, whose column family has
// optimize_filters_for_hits unless the last level has filters.
PolicyVerdict CheckPolicyOfFile(absl::string_view value, bool with_trials,
                                const std::optional<TrialFile>& file = std::nullopt,
                                bool last_level_has_filters = true);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_POLICY_CHECK_H_
