#include "src/policy_trial/policy_check.h"

#include <absl/algorithm/container.h>
#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <exception>
#include <unordered_map>
#include <utility>

#include "src/cli/closest_name.h"
#include "src/database/loaded_options.h"
#include "src/database/options_path.h"
#include "src/database/options_text.h"
#include "src/policy_trial/trial_filter.h"
#include "src/rocksdb/policy_options.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

constexpr absl::string_view kFilterPolicy = "filter_policy";

std::unordered_map<std::string, std::string> SettingsOf(const std::string& text) {
  std::unordered_map<std::string, std::string> settings;
  return ROCKSDB_NAMESPACE::StringToMap(text, &settings).ok() ? settings : decltype(settings)();
}

// Returns the value of filter_policy in an options string, or nullopt if there is none.
std::optional<std::string> PolicyOfOptionsString(const std::string& text) {
  const auto settings = SettingsOf(text);
  for (const auto& [name, value] : settings) {
    if (name == kFilterPolicy || absl::EndsWith(name, absl::StrCat(".", kFilterPolicy))) {
      return value;
    }
  }
  for (const auto& [name, value] : settings) {
    if (!absl::StrContains(value, kFilterPolicy)) continue;
    if (std::optional<std::string> policy = PolicyOfOptionsString(value)) return policy;
  }
  return std::nullopt;
}

// Calls `function`, which returns a status. Exceptions of RocksDB become a status.
template <typename Function>
Status WithoutExceptions(const Function& function) {
  try {
    return function();
  } catch (const std::exception& exception) {
    return Status::Aborted(absl::StrCat("exception \"", exception.what(), "\""));
  }
}

ColumnFamilyOptions FamilyWith(const BlockBasedTableOptions& table) {
  ColumnFamilyOptions family;
  family.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return family;
}

// Makes the options of a column family from those of a table, or of a database.
Status Make(const std::string& text, bool is_of_table, ColumnFamilyOptions* family) {
  Status status;
  if (is_of_table) {
    BlockBasedTableOptions table;
    status = GetBlockBasedTableOptionsFromString(ConfigOptions(), BlockBasedTableOptions(), text,
                                                 &table);
    if (status.ok()) *family = FamilyWith(table);
  } else {
    Options options;
    status = GetOptionsFromString(ConfigOptions(), Options(), text, &options);
    *family = options;
  }
  return status;
}

// Returns the policy in force; null for none.
std::shared_ptr<const FilterPolicy> PolicyOf(const ColumnFamilyOptions& family) {
  const auto* const table = TableOptionsOf(family);
  return table == nullptr ? nullptr : table->filter_policy;
}

// Opens a database in memory. Sets *policy to the one in force.
Status Open(const ColumnFamilyOptions& family, std::shared_ptr<const FilterPolicy>* policy) {
  const std::unique_ptr<Env> memory(ROCKSDB_NAMESPACE::NewMemEnv(Env::Default()));
  Options options(DBOptions(), family);
  options.env = memory.get();
  options.create_if_missing = true;
  options.stats_dump_period_sec = 0;  // neither starts a thread
  options.stats_persist_period_sec = 0;
  rocksdb_abi::OpenedDB opened{};
  const Status status = DB::Open(options, "/database", &opened);
  const std::unique_ptr<DB> database = rocksdb_abi::Own(std::move(opened));
  if (status.ok()) *policy = PolicyOf(database->GetOptions());
  return status;
}

// Returns the reason of a status of MakePolicyStrictly, as a sentence.
std::string StrictReason(const Status& status) {
  return absl::StrCat(status.IsNotFound() ? "the policy has no such option ("
                      : status.IsNotSupported()
                          ? "no filter policy here goes by this name and form ("
                          : "RocksDB refuses it (",
                      status.ToString(), ").");
}

// Returns the consequence for a database, as a part of a sentence.
std::string Consequence(const PolicyVerdict& verdict) {
  switch (verdict.outcome) {
    case PolicyOutcome::kNoPolicy:
      return "RocksDB says nothing and drops it: the database runs with no filter at all, and its "
             "next OPTIONS file says filter_policy=nullptr";
    case PolicyOutcome::kOtherPolicy:
      return absl::StrCat("RocksDB says nothing and uses ", verdict.in_force, " instead");
    case PolicyOutcome::kBuildsNothing:
      return absl::StrCat(verdict.in_force,
                          " reads the filters that are there, but builds none for new files");
    case PolicyOutcome::kWorks:
    case PolicyOutcome::kDoesNotOpen:
      break;
  }
  return "a database whose options ask for it does not open";
}

void Try(const std::optional<TrialFile>& file, PolicyVerdict* verdict) {
  constexpr uint64_t kKeysOfLevels = 100'000;
  const FilterPolicy& policy = *verdict->policy;
  const bool last_level_has_filters = verdict->last_level_has_filters;
  verdict->by_level = TryLevels(policy, file ? file->keys : kKeysOfLevels, last_level_has_filters);
  verdict->tree = SumOfTree(policy, verdict->by_level);
  if (file) {
    verdict->file = TryFile(policy, *file, last_level_has_filters);
  } else {
    verdict->by_keys = TryKeyCounts(policy, last_level_has_filters);
  }
}

// Completes a verdict whose `policy` and `last_level_has_filters` are set. `text` is what was to
// make the policy, and `refusal` RocksDB's error if no database opens.
void Judge(const std::string& text, const std::string& refusal, PolicyVerdict* verdict) {
  std::shared_ptr<const FilterPolicy> made;
  const Status strict = MakePolicyStrictly(text, &made);
  verdict->in_force = DescribePolicy(verdict->policy);
  if (!refusal.empty()) {
    verdict->outcome = PolicyOutcome::kDoesNotOpen;
  } else if (verdict->policy == nullptr) {
    verdict->outcome = PolicyOutcome::kNoPolicy;
  } else {
    verdict->reads_winnow = ReadsWinnow(*verdict->policy);
    verdict->outcome = BuildsNothing(*verdict->policy) ? PolicyOutcome::kBuildsNothing
                       : strict.ok() && DescribePolicy(made) == verdict->in_force
                           ? PolicyOutcome::kWorks
                           : PolicyOutcome::kOtherPolicy;
  }
  if (verdict->outcome == PolicyOutcome::kWorks) return;
  verdict->suggestion = NameMeant(text);
  if (verdict->outcome == PolicyOutcome::kNoPolicy && strict.ok() && made == nullptr) {
    verdict->problem = "RocksDB takes it for \"no filter\".";
    return;
  }
  const std::string reason = !strict.ok() ? StrictReason(strict)
                             : refusal.empty()
                                 ? ""
                                 : absl::StrCat("RocksDB refuses it (", refusal, ").");
  std::string consequence = Consequence(*verdict);
  if (verdict->outcome == PolicyOutcome::kDoesNotOpen) consequence.front() = 'A';
  verdict->problem = absl::StrCat(reason, reason.empty() ? "" : " ", consequence, ".");
}

FamilyPolicy JudgeFamily(const FamilyText& asked, const ColumnFamilyOptions* loaded) {
  FamilyPolicy family;
  family.name = asked.name;
  family.no_filter_asked_for = !asked.policy || *asked.policy == "nullptr" || asked.policy->empty();
  PolicyVerdict& verdict = family.verdict;
  verdict.asked = std::string(absl::StripAsciiWhitespace(asked.policy.value_or(std::string())));
  if (!family.no_filter_asked_for) {
    BlockBasedTableOptions table;
    // A file that RocksDB refuses has policies that are judged by themselves.
    Status status =
        loaded == nullptr ? MakePolicyStrictly(verdict.asked, &table.filter_policy) : Status::OK();
    if (loaded != nullptr) {
      table.filter_policy = PolicyOf(*loaded);
      verdict.last_level_has_filters = !loaded->optimize_filters_for_hits;
    }
    if (status.ok()) {
      status = WithoutExceptions([&] { return Open(FamilyWith(table), &verdict.policy); });
    }
    Judge(verdict.asked, status.ok() ? std::string() : status.ToString(), &verdict);
  }
  family.ranges = RangeOptionsOf(verdict.in_force, asked);
  return family;
}

}  // namespace

absl::string_view ToString(PolicyOutcome outcome) {
  switch (outcome) {
    case PolicyOutcome::kWorks:
      return "works";
    case PolicyOutcome::kOtherPolicy:
      return "other_policy";
    case PolicyOutcome::kBuildsNothing:
      return "builds_nothing";
    case PolicyOutcome::kNoPolicy:
      return "no_policy";
    case PolicyOutcome::kDoesNotOpen:
      break;
  }
  return "does_not_open";
}

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

bool IsOptionsString(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  const std::string setting = absl::StrCat(kFilterPolicy, "=");
  const bool begins_with_policy = absl::ConsumePrefix(&text, setting);
  if (!absl::StrContains(text, '=')) return false;  // a file name may look similar
  return absl::StrContains(text, kFilterPolicy) || absl::StrContains(text, "table_factory") ||
         (begins_with_policy && SettingsOf(absl::StrCat(setting, text)).size() > 1);
}

PolicyVerdict CheckPolicy(absl::string_view text, bool with_trials,
                          const std::optional<TrialFile>& file) {
  PolicyVerdict verdict;
  const bool is_policy = !IsOptionsString(text);
  text = absl::StripAsciiWhitespace(text);
  if (is_policy) absl::ConsumePrefix(&text, absl::StrCat(kFilterPolicy, "="));
  verdict.asked = std::string(absl::StripAsciiWhitespace(text));
  const std::string options =
      is_policy ? absl::StrCat(kFilterPolicy, "=", verdict.asked) : verdict.asked;
  const std::optional<std::string> policy = PolicyOfOptionsString(options);
  const bool is_of_table = is_policy || SettingsOf(options).count(std::string(kFilterPolicy)) > 0;
  ColumnFamilyOptions family;
  const Status status = WithoutExceptions([&] {
    const Status made = Make(options, is_of_table, &family);
    return made.ok() ? Open(family, &verdict.policy) : made;
  });
  verdict.last_level_has_filters = !family.optimize_filters_for_hits;
  Judge(policy.value_or(is_policy ? verdict.asked : "nullptr"),
        status.ok() ? std::string() : status.ToString(), &verdict);
  if (verdict.asked.empty()) {
    verdict.problem = "the string is empty, which RocksDB takes for \"no filter\".";
  } else if (!policy && !is_policy && verdict.outcome == PolicyOutcome::kNoPolicy) {
    verdict.problem =
        "these options have no filter_policy: the database runs with no filter at all.";
  }
  if (verdict.problem.empty() && with_trials) Try(file, &verdict);
  return verdict;
}

OptionsFileReport CheckOptionsFile(const std::string& path, bool with_trials,
                                   const std::optional<TrialFile>& file) {
  OptionsFileReport report;
  const OptionsPath found = FindOptionsFile(path);
  report.path = found.path;
  report.error = found.error;
  std::vector<FamilyText> families;
  if (report.error.empty()) report.error = ReadFamilies(report.path, &families);
  if (!report.error.empty()) return report;
  if (families.empty()) {
    report.error = absl::StrCat("'", report.path,
                                "' is not a RocksDB options file: it has no section [CFOptions]");
    return report;
  }
  std::vector<ColumnFamilyDescriptor> loaded;
  const std::string refusal = LoadFamilies(report.path, &loaded);
  bool all_well = true;
  for (const FamilyText& asked : families) {
    const auto options = absl::c_find_if(
        loaded, [&](const ColumnFamilyDescriptor& family) { return family.name == asked.name; });
    FamilyPolicy& family = report.families.emplace_back(JudgeFamily(
        asked, refusal.empty() && options != loaded.end() ? &options->options : nullptr));
    PolicyVerdict& verdict = family.verdict;
    all_well = all_well && verdict.problem.empty();
    if (!family.no_filter_asked_for && verdict.problem.empty() && with_trials) Try(file, &verdict);
  }
  if (!refusal.empty() && all_well) {  // otherwise reported with a policy
    report.error = absl::StrCat("RocksDB refuses the file '", report.path, "': ", refusal);
  }
  return report;
}

}  // namespace winnow::inspect
