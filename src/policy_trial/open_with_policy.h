// Finds out what RocksDB makes of a filter policy's options string when a database is opened with
// it, by opening one that is in memory.
//
// Neither FilterPolicy::CreateFromString nor what it says with other settings tells it: when a
// database's options are made from text, RocksDB drops some of the policy's errors and keeps some
// policies that gave one.

#ifndef WINNOW_SRC_POLICY_TRIAL_OPEN_WITH_POLICY_H_
#define WINNOW_SRC_POLICY_TRIAL_OPEN_WITH_POLICY_H_

#include <absl/strings/string_view.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

// Where people write policies. Each has its own rules for braces, semicolons and comments.
enum class PolicyPlace {
  kTableOptions,   // filter_policy=… for GetBlockBasedTableOptionsFromString
  kFamilyOptions,  // block_based_table_factory={filter_policy=…} for
                   // GetColumnFamilyOptionsFromString
  kOptionsFile,    // a line filter_policy=… of an OPTIONS file
  kOptionsString,  // with other options, for GetOptionsFromString
};

// "a table-options string" and so on.
absl::string_view ToString(PolicyPlace place);

// The places where this text can be written: with a line break, not in an OPTIONS file.
std::vector<PolicyPlace> PlacesFor(absl::string_view options_string);

enum class PolicyOutcome {
  kWorks,           // the policy asked for is in force, and builds filters
  kOtherPolicy,     // another one is in force, or not with all the options asked for
  kBuildsNothing,   // a policy is in force that reads filters, but builds none
  kNoPolicy,        // the database opens without a policy
  kDoesNotOpen,     // the options can't be made, or no database opens with them
  kDependsOnPlace,  // different ones of these, or different policies, in different places
};

// "works", "other_policy" and so on.
absl::string_view ToString(PolicyOutcome outcome);

struct PolicyOpening {
  PolicyPlace place = PolicyPlace::kTableOptions;
  PolicyOutcome outcome = PolicyOutcome::kDoesNotOpen;
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy;  // in force; null: none
  std::string refusal;  // by RocksDB, if no database opens
};

// Opens a database with the policy written in this place, and with RocksDB's defaults for all else.
// RocksDB neither ignores unknown options there nor minds what it does not support, as is its
// default too.
PolicyOpening OpenWithPolicy(const std::string& options_string, PolicyPlace place);

// True if the text is no policy but options of a table, a column family or a database, as
// "block_based_table_factory={filter_policy=winnow:10}" or "filter_policy=winnow:10;block_size=8k".
bool IsOptionsString(absl::string_view text);

// The value of filter_policy in such a string; nothing if it is not there.
std::optional<std::string> PolicyOfOptionsString(const std::string& text);

// Opens a database with all of these options: those of a table if filter_policy is one of them,
// else those of a column family. Of a database's own options, RocksDB checks the names and values
// only.
PolicyOpening OpenWithOptionsString(const std::string& text);

// The same outcome with the same policy.
bool SameOutcome(const PolicyOpening& a, const PolicyOpening& b);

// A policy as RocksDB makes it when it is asked to say all that it can't do, which it is not when
// options are made from text. RocksDB's exceptions are an Aborted status.
ROCKSDB_NAMESPACE::Status MakePolicyStrictly(
    const std::string& options_string,
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_OPEN_WITH_POLICY_H_
