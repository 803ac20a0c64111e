// Trial of a filter policy's options string: opens an in-memory database with it, to find out how
// RocksDB handles it.
//
// Neither FilterPolicy::CreateFromString nor its result with other settings tells this: when a
// database's options are made from text, RocksDB drops some of the policy's errors and keeps some
// policies that returned one.

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

// Place of a policy's text. Each place has its own rules for braces, semicolons and comments.
enum class PolicyPlace {
  kTableOptions,   // filter_policy=... of GetBlockBasedTableOptionsFromString
  kFamilyOptions,  // the table factory of GetColumnFamilyOptionsFromString
  kOptionsFile,    // a line filter_policy=... of an OPTIONS file
  kOptionsString,  // among other options of GetOptionsFromString
};

// Returns the name of the place, such as "a table-options string".
absl::string_view ToString(PolicyPlace place);

// Returns the places where this text can be written: with a newline, not in an OPTIONS file.
std::vector<PolicyPlace> PlacesFor(absl::string_view options_string);

enum class PolicyOutcome {
  kWorks,           // the given policy is in force, and builds filters
  kOtherPolicy,     // another one is in force, or lacks some of the options
  kBuildsNothing,   // a policy is in force that reads filters, but builds none
  kNoPolicy,        // the database opens without a policy
  kDoesNotOpen,     // the options can't be made, or no database opens with them
  kDependsOnPlace,  // outcomes or policies differ by place
};

// Returns the name of the outcome, such as "works" or "other_policy".
absl::string_view ToString(PolicyOutcome outcome);

struct PolicyOpening {
  PolicyPlace place = PolicyPlace::kTableOptions;
  PolicyOutcome outcome = PolicyOutcome::kDoesNotOpen;
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy;  // policy in force; null for none
  bool last_level_has_filters = true;  // false with optimize_filters_for_hits
  std::string refusal;                 // RocksDB's error if no database opens
};

// Opens a database with the policy written in this place, with optimize_filters_for_hits unless the
// last level has filters, and otherwise RocksDB's defaults. By these, RocksDB does not ignore
// unknown options, and ignores unsupported ones.
PolicyOpening OpenWithPolicy(const std::string& options_string, PolicyPlace place,
                             bool last_level_has_filters = true);

// Returns whether the text is not a policy, but options of a table, a column family or a database,
// such as "block_based_table_factory={filter_policy=winnow:10}" or
// "filter_policy=winnow:10;block_size=8k".
bool IsOptionsString(absl::string_view text);

// Returns the value of filter_policy in such a string, or nullopt if there is none.
std::optional<std::string> PolicyOfOptionsString(const std::string& text);

// Opens a database with all of these options: those of a table if filter_policy is one of them,
// else those of a column family. RocksDB only checks the names and values of a database's own
// options.
PolicyOpening OpenWithOptionsString(const std::string& text);

// Returns whether outcome and policy are equal.
bool SameOutcome(const PolicyOpening& a, const PolicyOpening& b);

// Makes a policy with all errors reported, unlike when options are made from text. RocksDB's
// exceptions become an Aborted status.
ROCKSDB_NAMESPACE::Status MakePolicyStrictly(
    const std::string& options_string,
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_OPEN_WITH_POLICY_H_
