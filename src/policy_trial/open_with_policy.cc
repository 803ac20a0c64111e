#include "src/policy_trial/open_with_policy.h"

#include <absl/algorithm/container.h>
#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <exception>
#include <unordered_map>
#include <utility>

#include "src/database/loaded_options.h"
#include "src/policy_trial/policy_trial.h"
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

constexpr PolicyPlace kPlaces[] = {PolicyPlace::kTableOptions, PolicyPlace::kFamilyOptions,
                                   PolicyPlace::kOptionsFile};

constexpr absl::string_view kFilterPolicy = "filter_policy";

std::string Setting(const std::string& policy) { return absl::StrCat(kFilterPolicy, "=", policy); }

Status MakeFromFile(const std::string& setting, Env* memory, ColumnFamilyOptions* family) {
  constexpr char kPath[] = "/OPTIONS";
  const std::string text =
      absl::StrCat("[Version]\nrocksdb_version=", ROCKSDB_NAMESPACE::GetRocksVersionAsString(),
                   "\noptions_file_version=1.1\n[DBOptions]\n[CFOptions \"default\"]\n"
                   "[TableOptions/BlockBasedTable \"default\"]\n",
                   setting, "\n");
  if (const Status written = ROCKSDB_NAMESPACE::WriteStringToFile(memory, text, kPath);
      !written.ok()) {
    return written;
  }
  ConfigOptions config;
  config.env = memory;
  DBOptions database;
  std::vector<ColumnFamilyDescriptor> families;
  const Status status = ROCKSDB_NAMESPACE::LoadOptionsFromFile(config, kPath, &database, &families);
  if (status.ok()) {
    *family = families.front().options;
  }
  return status;
}

// Makes the options of a column family from text, as written in this place.
Status Make(PolicyPlace place, const std::string& text, Env* memory, ColumnFamilyOptions* family) {
  const ConfigOptions config;
  Status status;
  switch (place) {
    case PolicyPlace::kTableOptions: {
      BlockBasedTableOptions table;
      status = ROCKSDB_NAMESPACE::GetBlockBasedTableOptionsFromString(
          config, BlockBasedTableOptions(), text, &table);
      if (status.ok()) {
        family->table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
      }
      return status;
    }
    case PolicyPlace::kFamilyOptions:
      return ROCKSDB_NAMESPACE::GetColumnFamilyOptionsFromString(config, ColumnFamilyOptions(),
                                                                 text, family);
    case PolicyPlace::kOptionsString: {
      Options options;
      status = ROCKSDB_NAMESPACE::GetOptionsFromString(config, Options(), text, &options);
      *family = options;
      return status;
    }
    case PolicyPlace::kOptionsFile:
      break;
  }
  return MakeFromFile(text, memory, family);
}

std::shared_ptr<const FilterPolicy> PolicyInForce(DB* database) {
  const Options options = database->GetOptions();
  const auto* const table = TableOptionsOf(options);
  return table == nullptr ? nullptr : table->filter_policy;
}

Status Open(const ColumnFamilyOptions& family, Env* memory,
            std::shared_ptr<const FilterPolicy>* policy) {
  Options options(DBOptions(), family);
  options.env = memory;
  options.create_if_missing = true;
  options.stats_dump_period_sec = 0;  // neither starts a thread
  options.stats_persist_period_sec = 0;
  rocksdb_abi::OpenedDB opened{};
  const Status status = DB::Open(options, "/database", &opened);
  const std::unique_ptr<DB> database = rocksdb_abi::Own(std::move(opened));
  if (status.ok()) {
    *policy = PolicyInForce(database.get());
  }
  return status;
}

std::unordered_map<std::string, std::string> SettingsOf(const std::string& text) {
  std::unordered_map<std::string, std::string> settings;
  return ROCKSDB_NAMESPACE::StringToMap(text, &settings).ok() ? settings : decltype(settings)();
}

// Returns the text that reaches the policy from this place: options strings lose a pair of braces,
// and end at a semicolon.
std::string TextOfPolicy(const std::string& options_string, PolicyPlace place) {
  const auto settings = SettingsOf(Setting(options_string));
  return place != PolicyPlace::kOptionsFile && !settings.empty()
             ? settings.at(std::string(kFilterPolicy))
             : options_string;
}

bool BuildsNothing(const FilterPolicy& policy) {
  const std::vector<PolicyTrial> trials = TryLevels(policy, 1);
  return absl::c_none_of(trials, [](const PolicyTrial& trial) { return trial.filter.has_value(); });
}

PolicyOutcome Outcome(const FilterPolicy& in_force, const std::string& text_of_policy) {
  if (BuildsNothing(in_force)) {
    return PolicyOutcome::kBuildsNothing;
  }
  std::shared_ptr<const FilterPolicy> ignored;
  return MakePolicyStrictly(text_of_policy, &ignored).ok() ? PolicyOutcome::kWorks
                                                           : PolicyOutcome::kOtherPolicy;
}

}  // namespace

absl::string_view ToString(PolicyPlace place) {
  switch (place) {
    case PolicyPlace::kTableOptions:
      return "a table-options string";
    case PolicyPlace::kFamilyOptions:
      return "a column family's options string";
    case PolicyPlace::kOptionsString:
      return "an options string";
    case PolicyPlace::kOptionsFile:
      break;
  }
  return "an OPTIONS file";
}

std::vector<PolicyPlace> PlacesFor(absl::string_view options_string) {
  std::vector<PolicyPlace> places(std::begin(kPlaces), std::end(kPlaces));
  if (options_string.find_first_of("\n\r") != absl::string_view::npos) {
    places.pop_back();
  }
  return places;
}

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
      return "does_not_open";
    case PolicyOutcome::kDependsOnPlace:
      break;
  }
  return "depends_on_place";
}

namespace {

// `text` is the setting as written in this place, and `policy` the part that reaches the policy.
PolicyOpening OpenWith(PolicyPlace place, const std::string& text, const std::string& policy,
                       bool last_level_has_filters = true) {
  PolicyOpening opening;
  opening.place = place;
  const std::unique_ptr<Env> memory(ROCKSDB_NAMESPACE::NewMemEnv(Env::Default()));
  try {
    ColumnFamilyOptions family;
    Status status = Make(place, text, memory.get(), &family);
    if (!last_level_has_filters) family.optimize_filters_for_hits = true;
    opening.last_level_has_filters = !family.optimize_filters_for_hits;
    if (status.ok()) {
      status = Open(family, memory.get(), &opening.policy);
    }
    if (!status.ok()) {
      opening.refusal = status.ToString();
      return opening;
    }
  } catch (const std::exception& exception) {
    opening.refusal = absl::StrCat("exception \"", exception.what(), "\"");
    return opening;
  }
  opening.outcome =
      opening.policy == nullptr ? PolicyOutcome::kNoPolicy : Outcome(*opening.policy, policy);
  return opening;
}

}  // namespace

PolicyOpening OpenWithPolicy(const std::string& options_string, PolicyPlace place,
                             bool last_level_has_filters) {
  const std::string setting = Setting(options_string);
  return OpenWith(place,
                  place == PolicyPlace::kFamilyOptions
                      ? absl::StrCat("block_based_table_factory={", setting, "}")
                      : setting,
                  TextOfPolicy(options_string, place), last_level_has_filters);
}

bool IsOptionsString(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  const bool begins_with_policy = absl::ConsumePrefix(&text, Setting(""));
  if (!absl::StrContains(text, '=')) return false;  // a file name may look similar
  return absl::StrContains(text, kFilterPolicy) || absl::StrContains(text, "table_factory") ||
         (begins_with_policy && SettingsOf(Setting(std::string(text))).size() > 1);
}

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

PolicyOpening OpenWithOptionsString(const std::string& text) {
  const bool is_of_table = SettingsOf(text).count(std::string(kFilterPolicy)) > 0;
  return OpenWith(is_of_table ? PolicyPlace::kTableOptions : PolicyPlace::kOptionsString, text,
                  PolicyOfOptionsString(text).value_or(""));
}

bool SameOutcome(const PolicyOpening& a, const PolicyOpening& b) {
  return a.outcome == b.outcome && DescribePolicy(a.policy) == DescribePolicy(b.policy);
}

Status MakePolicyStrictly(const std::string& options_string,
                          std::shared_ptr<const FilterPolicy>* policy) {
  ConfigOptions config;
  config.ignore_unknown_options = false;
  config.ignore_unsupported_options = false;
  try {
    return FilterPolicy::CreateFromString(config, options_string, policy);
  } catch (const std::exception& exception) {
    return Status::Aborted(absl::StrCat("exception \"", exception.what(), "\""));
  }
}

}  // namespace winnow::inspect
