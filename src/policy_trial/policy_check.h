// Verdict on a filter policy's options string, or on the policies of an OPTIONS file: the policy
// that a database has in force when it is opened with them.
//
// RocksDB silently treats an unknown policy as "no filter", drops some of a policy's errors, and
// keeps some policies that returned one. So these functions open databases in memory, find the
// reason of an error, and make the resulting policy build filters. By RocksDB's defaults, unknown
// options are errors, and unsupported ones are ignored.

#ifndef WINNOW_SRC_POLICY_TRIAL_POLICY_CHECK_H_
#define WINNOW_SRC_POLICY_TRIAL_POLICY_CHECK_H_

#include <absl/strings/string_view.h>
#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/policy_trial/policy_trial.h"
#include "src/policy_trial/range_options.h"

namespace winnow::inspect {

enum class PolicyOutcome {
  kWorks,          // the given policy is in force, and builds filters
  kOtherPolicy,    // another one is in force, or lacks some of the options
  kBuildsNothing,  // a policy is in force that reads filters, but builds none
  kNoPolicy,       // the database opens without a policy
  kDoesNotOpen,    // the options can't be made, or no database opens with them
};

// Returns the name of the outcome, such as "works" or "other_policy".
absl::string_view ToString(PolicyOutcome outcome);

struct PolicyVerdict {
  std::string asked;  // given text, trimmed, without "filter_policy="
  PolicyOutcome outcome = PolicyOutcome::kNoPolicy;
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy;  // policy in force; null for none
  std::string in_force;                // its text in OPTIONS files; empty for none
  bool reads_winnow = false;           // true if it denies keys by Winnow's filters
  bool last_level_has_filters = true;  // false with optimize_filters_for_hits
  std::string problem;                 // reason if the requested filter is not built, as sentences
  std::string suggestion;  // the known name of a policy or option that is meant; may be empty

  std::vector<PolicyTrial> by_keys;   // compaction outputs on the last level, of growing size
  std::vector<PolicyTrial> by_level;  // files of one size in all situations, in a full tree
  std::optional<PolicyTree> tree;     // set with by_level
  std::optional<PolicyTrial> file;    // trial of the request's file
};

// Returns the name that is probably meant by an unknown one of a policy, or of an option of
// Winnow's: "winnow" for "winow:12", "bits_per_key" for "{id=winnow;bits=12}". Empty if there is
// none.
std::string NameMeant(absl::string_view policy);

// Returns whether the text is not a policy, but options of a table, a column family or a database,
// such as "block_based_table_factory={filter_policy=winnow:10}" or
// "filter_policy=winnow:10;block_size=8k".
bool IsOptionsString(absl::string_view text);

// Judges a policy such as "winnow:10", "{id=winnow;bits_per_key=10}" or
// "filter_policy=bloomfilter:10", as a table's options string has it, or an options string
// (IsOptionsString), by a database with all of its options. Any text is allowed. The known policies
// are those that this program has linked or preloaded. With trials, builds filters of up to a
// million keys; or, if `file` is set, of `file`, and of files of its size on all levels.
PolicyVerdict CheckPolicy(absl::string_view text, bool with_trials,
                          const std::optional<TrialFile>& file = std::nullopt);

struct FamilyPolicy {
  std::string name;                  // name of the column family
  bool no_filter_asked_for = false;  // nullptr, or no filter policy, in the file
  PolicyVerdict verdict;             // meaningless if no filter is asked for
  RangeOptions ranges;
};

struct OptionsFileReport {
  std::string path;
  std::vector<FamilyPolicy> families;  // ordered as in the file
  std::string error;                   // reason why the file can't be read, or empty
};

// Judges every column family of the file by the policy that RocksDB has in force for it when it
// loads the file. `path` is that of FindOptionsFile.
OptionsFileReport CheckOptionsFile(const std::string& path, bool with_trials,
                                   const std::optional<TrialFile>& file = std::nullopt);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_POLICY_CHECK_H_
