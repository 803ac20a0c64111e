// Verdicts on the filter policies of an OPTIONS file.

#ifndef WINNOW_SRC_POLICY_TRIAL_OPTIONS_FILE_H_
#define WINNOW_SRC_POLICY_TRIAL_OPTIONS_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "src/policy_trial/policy_check.h"
#include "src/policy_trial/range_options.h"

namespace winnow::inspect {

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

// Judges every column family of the file with CheckPolicyOfFile, and checks that RocksDB has that
// policy in force when it loads the file. `path` is that of FindOptionsFile.
OptionsFileReport CheckOptionsFile(const std::string& path, bool with_trials,
                                   const std::optional<TrialFile>& file = std::nullopt);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_OPTIONS_FILE_H_
