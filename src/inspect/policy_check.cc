#include "src/inspect/policy_check.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <unordered_map>

#include "src/inspect/describe_policy.h"
#include "src/inspect/policy_trial.h"
#include "src/inspect/suggest_policy.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

struct Answer {
  Status status;
  std::shared_ptr<const FilterPolicy> policy;
  std::string exception;  // that RocksDB threw; empty: none
};

Answer Ask(const std::string& options_string, bool strict) {
  ConfigOptions config;
  config.ignore_unknown_options = !strict;
  config.ignore_unsupported_options = !strict;
  Answer answer;
  try {
    answer.status = FilterPolicy::CreateFromString(config, options_string, &answer.policy);
  } catch (const std::exception& exception) {
    answer.exception = exception.what();
  }
  return answer;
}

// What happens to a database that is opened with an options string that RocksDB, asked to be
// strict, has refused.
std::string Consequence(const std::string& options_string) {
  const Answer lenient = Ask(options_string, /*strict=*/false);
  if (!lenient.exception.empty()) {
    return "RocksDB throws an exception when it reads it, which ends most programs.";
  }
  if (!lenient.status.ok()) {
    return "A database whose options ask for it does not open.";
  }
  if (lenient.policy == nullptr) {
    return "RocksDB says nothing and drops it: the database runs with no filter at all, and its "
           "next "
           "OPTIONS file says filter_policy=nullptr.";
  }
  return absl::StrCat("RocksDB says nothing and uses ", DescribePolicy(*lenient.policy),
                      " instead.");
}

std::string WhyRefused(const PolicyVerdict& verdict, const Answer& answer) {
  std::string reason;
  if (!answer.exception.empty()) {
    reason = absl::StrCat("RocksDB fails on it (exception \"", answer.exception, "\").");
  } else if (answer.status.IsNotSupported() || answer.status.IsNotFound()) {
    reason = absl::StrCat("no filter policy here goes by this name and form (",
                          answer.status.ToString(), ").");
  } else {
    reason = absl::StrCat("refused: ", answer.status.ToString(), ".");
  }
  return absl::StrCat(reason, " ", Consequence(verdict.asked));
}

bool BuildsNothing(const std::vector<PolicyTrial>& trials) {
  return std::none_of(trials.begin(), trials.end(),
                      [](const PolicyTrial& trial) { return trial.filter.has_value(); });
}

}  // namespace

PolicyVerdict CheckPolicy(absl::string_view options_string, bool with_trials) {
  PolicyVerdict verdict;
  absl::string_view stripped = absl::StripAsciiWhitespace(options_string);
  if (absl::ConsumePrefix(&stripped, "filter_policy=")) {
    stripped = absl::StripAsciiWhitespace(stripped);
  }
  verdict.asked = std::string(stripped);
  if (verdict.asked.empty()) {
    verdict.problem = "the string is empty, which RocksDB takes for \"no filter\".";
    verdict.suggestion = SuggestPolicy(verdict.asked);
    return verdict;
  }
  const Answer answer = Ask(verdict.asked, /*strict=*/true);
  if (!answer.exception.empty() || !answer.status.ok()) {
    verdict.problem = WhyRefused(verdict, answer);
    verdict.suggestion = SuggestPolicy(verdict.asked);
    return verdict;
  }
  if (answer.policy == nullptr) {
    verdict.problem = "RocksDB takes it for \"no filter\".";
    return verdict;
  }
  verdict.in_force = DescribePolicy(*answer.policy);
  const std::vector<PolicyTrial> by_level = TryLevels(*answer.policy, with_trials ? 100'000 : 1);
  if (BuildsNothing(by_level)) {
    verdict.problem = absl::StrCat(verdict.in_force,
                                   " reads the filters that are there, but builds none for new "
                                   "files.");
    verdict.suggestion = SuggestPolicy(verdict.asked);
  } else if (with_trials) {
    verdict.by_level = by_level;
    verdict.by_keys = TryKeyCounts(*answer.policy);
  }
  return verdict;
}

}  // namespace winnow::inspect
