// Paired comparison of policies that plan the filters of one tree.
//
// The timing of compactions depends on threads, so that two runs grow two trees, whose false reads
// differ by more than those of two plans. Here one tree grows with the filters of the first policy.
// The others are shadows: each builds its own filter of every file, and gets events of the file and
// of its readers as if the file had that filter, which is then dropped.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_PAIRED_POLICIES_H_
#define WINNOW_DB_BENCH_EXT_TUNING_PAIRED_POLICIES_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/tuning/tree_cost.h"

namespace winnow::bench {

class PairedFilters;

// Thread-safe.
class PairedPolicies {
 public:
  // `policies` are Winnow's, at least one. has_listeners: each has Winnow's listener.
  PairedPolicies(const std::vector<std::shared_ptr<const rocksdb::FilterPolicy>>& policies,
                 bool has_listeners);

  // Both must be set in the tree's options.
  std::shared_ptr<const rocksdb::FilterPolicy> policy() const { return policy_; }
  std::shared_ptr<rocksdb::EventListener> listener() const { return listener_; }

  // Returns the tree's files with the filters of this policy. Files that were not written here,
  // such as ingested ones, have their own filters for all policies.
  std::vector<FilterFile> WithFiltersOf(size_t policy, std::vector<FilterFile> files) const;

 private:
  std::shared_ptr<PairedFilters> filters_;
  std::shared_ptr<const rocksdb::FilterPolicy> policy_;
  std::shared_ptr<rocksdb::EventListener> listener_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_PAIRED_POLICIES_H_
