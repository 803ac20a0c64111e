// Filter policies by their options strings, and the proof that they are in force.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_POLICIES_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_POLICIES_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::bench {

// Text that stands for "no filter policy" in a list of policies.
inline constexpr std::string_view kNoPolicy = "none";

struct Policy {
  std::string asked;                                    // as the user wrote it
  std::shared_ptr<const rocksdb::FilterPolicy> object;  // null for "none" only

  // Name that files record of it; empty for "none".
  std::string Name() const { return object ? object->Name() : ""; }

  // Returns whether it builds range filters, which need an extractor of their own.
  bool HasRanges() const;
};

// Cuts a list of policies at its commas, but not at those within braces: in
// "none,{id=winnow;bits_per_key=10}" there are two. Spaces around a policy don't count. An error if
// braces don't match, or if a policy is empty or comes twice.
absl::StatusOr<std::vector<std::string>> SplitPolicies(std::string_view list);

// The policy that RocksDB makes of an options string. An error, which gives RocksDB's reason, for a
// string that it would drop silently in an options file.
absl::StatusOr<Policy> MakePolicy(const std::string& asked);

// Filter found in a file.
struct FoundFilter {
  std::string path;
  std::string policy_name;  // in its properties
  std::string kind;         // of the filter itself; the names of src/sst/sst_filters.h
  std::string fault;        // why the filter can't be used; empty if it can
  bool may_lack = false;    // the options allow it to have no filter
};

// Ok if every file names the policy and has a filter of a kind that it builds, or has none where it
// may lack one; but one file at least has one. Otherwise a sentence that says which file has what
// instead.
absl::Status ProveInForce(const Policy& policy, const std::vector<FoundFilter>& files);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_POLICIES_H_
