// The filter policies that an OPTIONS file asks for, and what becomes of them.

#ifndef WINNOW_SRC_POLICY_TRIAL_OPTIONS_FILE_H_
#define WINNOW_SRC_POLICY_TRIAL_OPTIONS_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "src/policy_trial/policy_check.h"
#include "src/policy_trial/range_options.h"

namespace winnow::inspect {

struct FamilyPolicy {
  std::string name;                  // of the column family
  bool no_filter_asked_for = false;  // the file says nullptr, or nothing about a filter
  PolicyVerdict verdict;             // of little meaning when no filter is asked for
  RangeOptions ranges;
};

struct OptionsFileReport {
  std::string path;
  std::vector<FamilyPolicy> families;  // in the order of the file
  std::string error;                   // why the file can't be read; a sentence, empty: it was read
};

// Judges every column family of the file as CheckPolicyOfFile does, and checks that RocksDB, when
// it loads the file, has the same policy in force. `path` is as for FindOptionsFile.
OptionsFileReport CheckOptionsFile(const std::string& path, bool with_trials,
                                   const std::optional<TrialFile>& file = std::nullopt);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_OPTIONS_FILE_H_
