// The verdict on a filter policy's options string: what a database that is opened with it has in
// force.
//
// RocksDB takes an unknown policy for "no filter" and says nothing. Here databases are opened with
// it, the reason is asked for, and the policy that results is made to build filters.

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
  std::string asked;  // the options string, without spaces around it; a policy's, without
                      // "filter_policy="
  PolicyOutcome outcome = PolicyOutcome::kNoPolicy;
  std::string in_force;  // the policy that RocksDB uses, as it writes it to OPTIONS files; empty:
                         // none, or it depends on the place
  bool reads_winnow = false;  // it denies keys by Winnow's filters; other policies take them for
                              // "may match"
  std::string problem;  // why there is no filter, or not the one asked for: sentences. Empty: fine
  std::string suggestion;  // an options string near to the one asked for that works; may be empty

  std::vector<PolicyOpening> by_place;  // what happened to a database, in the places asked about
  std::vector<PolicyTrial> by_keys;     // a compaction's output on the last level, of growing size
  std::vector<PolicyTrial> by_level;    // files of one size in all situations, in a tree that has
                                        // keys on each level
  std::optional<PolicyTree> tree;       // set with by_level
  std::optional<PolicyTrial> file;      // the one that was asked about
};

// Judges an options string such as "winnow:10", "{id=winnow;bits_per_key=10}" or
// "filter_policy=bloomfilter:10", in every place where it can be written. Any string is allowed.
// The policies are those that this program has linked or preloaded. With trials: builds filters of
// up to a million keys; or of `file`, and of files of its size on all levels, in their place.
PolicyVerdict CheckPolicy(absl::string_view options_string, bool with_trials,
                          const std::optional<TrialFile>& file = std::nullopt);

// Judges the policy in options of a table, a column family or a database (IsOptionsString), by a
// database that has them all.
PolicyVerdict CheckOptionsString(absl::string_view text, bool with_trials,
                                 const std::optional<TrialFile>& file = std::nullopt);

// Judges the value of a filter_policy in an OPTIONS file.
PolicyVerdict CheckPolicyOfFile(absl::string_view value, bool with_trials,
                                const std::optional<TrialFile>& file = std::nullopt);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_POLICY_CHECK_H_
