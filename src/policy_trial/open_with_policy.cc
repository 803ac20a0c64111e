#include "src/policy_trial/open_with_policy.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
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

// What makes a setting of filter_policy one of the column family, in its options string.
constexpr absl::string_view kTableFactory = "block_based_table_factory";

std::string Setting(const std::string& policy) { return absl::StrCat("filter_policy=", policy); }

std::string FamilySetting(const std::string& policy) {
  return absl::StrCat(kTableFactory, "={", Setting(policy), "}");
}

Status MakeFromTableOptions(const std::string& policy, ColumnFamilyOptions* family) {
  BlockBasedTableOptions table;
  const Status status = ROCKSDB_NAMESPACE::GetBlockBasedTableOptionsFromString(
      ConfigOptions(), BlockBasedTableOptions(), Setting(policy), &table);
  if (status.ok()) {
    family->table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  }
  return status;
}

Status MakeFromFamilyOptions(const std::string& policy, ColumnFamilyOptions* family) {
  return ROCKSDB_NAMESPACE::GetColumnFamilyOptionsFromString(ConfigOptions(), ColumnFamilyOptions(),
                                                             FamilySetting(policy), family);
}

Status MakeFromFile(const std::string& policy, Env* memory, ColumnFamilyOptions* family) {
  constexpr char kPath[] = "/OPTIONS";
  const std::string text =
      absl::StrCat("[Version]\nrocksdb_version=", ROCKSDB_NAMESPACE::GetRocksVersionAsString(),
                   "\noptions_file_version=1.1\n[DBOptions]\n[CFOptions \"default\"]\n"
                   "[TableOptions/BlockBasedTable \"default\"]\n",
                   Setting(policy), "\n");
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

Status Make(const std::string& policy, PolicyPlace place, Env* memory,
            ColumnFamilyOptions* family) {
  switch (place) {
    case PolicyPlace::kTableOptions:
      return MakeFromTableOptions(policy, family);
    case PolicyPlace::kFamilyOptions:
      return MakeFromFamilyOptions(policy, family);
    case PolicyPlace::kOptionsFile:
      break;
  }
  return MakeFromFile(policy, memory, family);
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
  options.stats_dump_period_sec = 0;  // neither takes a thread of its own then
  options.stats_persist_period_sec = 0;
  rocksdb_abi::OpenedDB opened{};
  const Status status = DB::Open(options, "/database", &opened);
  const std::unique_ptr<DB> database = rocksdb_abi::Own(std::move(opened));
  if (status.ok()) {
    *policy = PolicyInForce(database.get());
  }
  return status;
}

// The text that reaches the policy when it is written in this place: options strings lose a pair of
// braces, and end at a semicolon.
std::string TextOfPolicy(const std::string& options_string, PolicyPlace place) {
  std::unordered_map<std::string, std::string> values;
  return place != PolicyPlace::kOptionsFile &&
                 ROCKSDB_NAMESPACE::StringToMap(Setting(options_string), &values).ok()
             ? values["filter_policy"]
             : options_string;
}

bool BuildsNothing(const FilterPolicy& policy) {
  const std::vector<PolicyTrial> trials = TryLevels(policy, 1);
  return std::none_of(trials.begin(), trials.end(),
                      [](const PolicyTrial& trial) { return trial.filter.has_value(); });
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

PolicyOpening OpenWithPolicy(const std::string& options_string, PolicyPlace place) {
  PolicyOpening opening;
  opening.place = place;
  const std::unique_ptr<Env> memory(ROCKSDB_NAMESPACE::NewMemEnv(Env::Default()));
  try {
    ColumnFamilyOptions family;
    Status status = Make(options_string, place, memory.get(), &family);
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
  opening.outcome = opening.policy == nullptr
                        ? PolicyOutcome::kNoPolicy
                        : Outcome(*opening.policy, TextOfPolicy(options_string, place));
  return opening;
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
