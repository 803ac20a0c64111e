// Filter policies from their options strings, and proof that they are in force.

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

// Entry for "no filter policy" in a list of policies.
inline constexpr std::string_view kNoPolicy = "none";

struct Policy {
  std::string asked;                                    // options string given by the user
  std::shared_ptr<const rocksdb::FilterPolicy> object;  // null for "none" only

  // Returns the name recorded in files; empty for "none".
  std::string Name() const { return object ? object->Name() : ""; }

  // Returns whether the policy builds range filters, which need an extractor of their own.
  bool HasRanges() const;
};

// Splits a list of policies at commas outside braces: "none,{id=winnow;bits_per_key=10}" has two.
// Ignores spaces around policies. Returns an error for unbalanced braces, and for empty or repeated
// policies.
absl::StatusOr<std::vector<std::string>> SplitPolicies(std::string_view list);

// Creates a policy from its options string. Returns an error with RocksDB's reason for strings that
// RocksDB would silently ignore in an options file.
absl::StatusOr<Policy> MakePolicy(const std::string& asked);

// Filter found in a file.
struct FoundFilter {
  std::string path;
  std::string policy_name;  // name in the file's properties
  std::string kind;         // kind of the filter itself; the names of src/sst/sst_filters.h
  std::string fault;        // reason why the filter is unusable; empty if usable
  bool may_lack = false;    // the options permit the file to have no filter
};

// Returns OK if every file names the policy and has a filter of a kind that the policy builds, or
// none where permitted, and at least one file has a filter. Otherwise returns an error with the
// file and what it has.
absl::Status ProveInForce(const Policy& policy, const std::vector<FoundFilter>& files);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_POLICIES_H_
