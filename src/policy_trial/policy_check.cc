#include "src/policy_trial/policy_check.h"

#include <absl/algorithm/container.h>
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>

#include "src/cli/closest_name.h"
#include "src/database/loaded_options.h"
#include "src/policy_trial/open_with_policy.h"
#include "src/policy_trial/policy_trial.h"
#include "src/rocksdb/policy_options.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

// Returns the reason why RocksDB, with all errors reported, rejects the policy; empty if it accepts
// it. Sets *is_none to whether the text means "no filter".
std::string StrictReason(const std::string& policy, bool* is_none) {
  std::shared_ptr<const FilterPolicy> made;
  const Status status = MakePolicyStrictly(policy, &made);
  *is_none = made == nullptr;
  if (status.ok()) {
    return std::string();
  }
  return absl::StrCat(status.IsNotFound() ? "the policy has no such option ("
                      : status.IsNotSupported()
                          ? "no filter policy here goes by this name and form ("
                          : "RocksDB refuses it (",
                      status.ToString(), ").");
}

// Returns the consequence for a database, as a part of a sentence.
std::string Consequence(const PolicyOpening& opening) {
  switch (opening.outcome) {
    case PolicyOutcome::kNoPolicy:
      return "RocksDB says nothing and drops it: the database runs with no filter at all, and its "
             "next OPTIONS file says filter_policy=nullptr";
    case PolicyOutcome::kOtherPolicy:
      return absl::StrCat("RocksDB says nothing and uses ", DescribePolicy(opening.policy),
                          " instead");
    case PolicyOutcome::kBuildsNothing:
      return absl::StrCat(DescribePolicy(opening.policy),
                          " reads the filters that are there, but builds none for new files");
    case PolicyOutcome::kWorks:
      return absl::StrCat("RocksDB uses ", DescribePolicy(opening.policy));
    case PolicyOutcome::kDoesNotOpen:
    case PolicyOutcome::kDependsOnPlace:
      break;
  }
  return "a database whose options ask for it does not open";
}

// Returns the consequences by place. Places with equal outcomes are named together.
std::string ConsequenceByPlace(const std::vector<PolicyOpening>& openings) {
  std::string text = "what RocksDB makes of it depends on where it is written.";
  std::vector<bool> told(openings.size());
  for (size_t i = 0; i < openings.size(); ++i) {
    if (told[i]) {
      continue;
    }
    std::vector<absl::string_view> places;
    for (size_t j = i; j < openings.size(); ++j) {
      if (SameOutcome(openings[i], openings[j])) {
        places.push_back(ToString(openings[j].place));
        told[j] = true;
      }
    }
    absl::StrAppend(&text, " In ", absl::StrJoin(places, " and "), ": ", Consequence(openings[i]),
                    openings[i].refusal.empty() ? "" : absl::StrCat(" (", openings[i].refusal, ")"),
                    ".");
  }
  return text;
}

// Returns the problem as sentences, or an empty string. `policy` is the policy's part of the given
// text.
std::string Problem(const PolicyVerdict& verdict, const std::string& policy) {
  if (verdict.outcome == PolicyOutcome::kWorks) {
    return std::string();
  }
  if (verdict.outcome == PolicyOutcome::kDependsOnPlace) {
    return ConsequenceByPlace(verdict.by_place);
  }
  const PolicyOpening& opening = verdict.by_place.front();
  bool is_none = false;
  std::string reason = StrictReason(policy, &is_none);
  if (reason.empty() && !opening.refusal.empty()) {
    reason = absl::StrCat("RocksDB refuses it (", opening.refusal, ").");
  }
  if (reason.empty() && verdict.outcome == PolicyOutcome::kNoPolicy && is_none) {
    return "RocksDB takes it for \"no filter\".";
  }
  std::string consequence = Consequence(opening);
  if (!reason.empty() && verdict.outcome == PolicyOutcome::kDoesNotOpen) {
    consequence.front() = 'A';
  }
  return absl::StrCat(reason, reason.empty() ? "" : " ", consequence, ".");
}

constexpr uint64_t kKeysOfLevels = 100'000;

// Sets the verdict from the outcomes in all places. `policy` is the policy's part of the given
// text.
void Judge(const std::string& policy, bool with_trials, const std::optional<TrialFile>& file,
           PolicyVerdict* verdict) {
  const PolicyOpening& first = verdict->by_place.front();
  const bool agree = absl::c_all_of(verdict->by_place, [&first](const PolicyOpening& opening) {
    return SameOutcome(first, opening);
  });
  verdict->outcome = agree ? first.outcome : PolicyOutcome::kDependsOnPlace;
  if (agree && first.policy != nullptr) {
    verdict->in_force = DescribePolicy(first.policy);
    verdict->reads_winnow = ReadsWinnow(*first.policy);
  }
  verdict->problem = Problem(*verdict, policy);
  if (!verdict->problem.empty()) {
    verdict->suggestion = NameMeant(policy);
  } else if (with_trials) {
    const uint64_t keys = file ? file->keys : kKeysOfLevels;
    verdict->by_level = TryLevels(*first.policy, keys, first.last_level_has_filters);
    verdict->tree = SumOfTree(*first.policy, verdict->by_level);
    if (file) {
      verdict->file = TryFile(*first.policy, *file, first.last_level_has_filters);
    } else {
      verdict->by_keys = TryKeyCounts(*first.policy, first.last_level_has_filters);
    }
  }
}

void JudgePolicy(const std::vector<PolicyPlace>& places, bool with_trials,
                 const std::optional<TrialFile>& file, PolicyVerdict* verdict,
                 bool last_level_has_filters = true) {
  for (const PolicyPlace place : places) {
    verdict->by_place.push_back(OpenWithPolicy(verdict->asked, place, last_level_has_filters));
  }
  Judge(verdict->asked, with_trials, file, verdict);
}

}  // namespace

std::string NameMeant(absl::string_view policy) {
  const std::vector<absl::string_view> policies = {"winnow", "bloomfilter", "ribbonfilter"};
  const std::vector<std::string>& names = plugin::PolicyOptionNameList();
  const std::vector<absl::string_view> options(names.begin(), names.end());
  for (const absl::string_view part : absl::StrSplit(policy, absl::ByAnyChar("{;}"))) {
    const std::vector<absl::string_view> setting = absl::StrSplit(part, absl::MaxSplits('=', 1));
    absl::string_view name = absl::StripAsciiWhitespace(setting.front());
    const bool is_policy = setting.size() == 1 || name == "id";
    if (is_policy) name = absl::StripAsciiWhitespace(setting.back());
    if (is_policy) name = name.substr(0, name.find(':'));
    const absl::string_view meant = cli::ClosestName(name, is_policy ? policies : options);
    if (!meant.empty() && meant != name) return std::string(meant);
  }
  return std::string();
}

PolicyVerdict CheckPolicy(absl::string_view options_string, bool with_trials,
                          const std::optional<TrialFile>& file) {
  PolicyVerdict verdict;
  absl::string_view stripped = absl::StripAsciiWhitespace(options_string);
  if (absl::ConsumePrefix(&stripped, "filter_policy=")) {
    stripped = absl::StripAsciiWhitespace(stripped);
  }
  verdict.asked = std::string(stripped);
  JudgePolicy(PlacesFor(verdict.asked), with_trials, file, &verdict);
  if (verdict.asked.empty()) {
    verdict.problem = "the string is empty, which RocksDB takes for \"no filter\".";
  }
  return verdict;
}

PolicyVerdict CheckOptionsString(absl::string_view text, bool with_trials,
                                 const std::optional<TrialFile>& file) {
  PolicyVerdict verdict;
  verdict.asked = std::string(absl::StripAsciiWhitespace(text));
  verdict.by_place = {OpenWithOptionsString(verdict.asked)};
  const std::optional<std::string> policy = PolicyOfOptionsString(verdict.asked);
  Judge(policy.value_or("nullptr"), with_trials, file, &verdict);
  if (!policy && verdict.outcome == PolicyOutcome::kNoPolicy) {
    verdict.problem =
        "these options have no filter_policy: the database runs with no filter at all.";
  }
  return verdict;
}

PolicyVerdict CheckPolicyOfFile(absl::string_view value, bool with_trials,
                                const std::optional<TrialFile>& file, bool last_level_has_filters) {
  PolicyVerdict verdict;
  verdict.asked = std::string(absl::StripAsciiWhitespace(value));
  JudgePolicy({PolicyPlace::kOptionsFile}, with_trials, file, &verdict, last_level_has_filters);
  return verdict;
}

}  // namespace winnow::inspect
