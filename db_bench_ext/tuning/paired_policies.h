// Policies that decide on the filters of one tree, side by side.
//
// Threads decide when compactions come, so two runs grow two trees, whose false reads differ by
// more than two plans' do. Here one tree grows, with the filters of the first policy. The others
// are shadows: each builds its own filter of every file, is told of it and of its readers as if the
// file had it, and the filter is dropped.

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

// Safe from any number of threads.
class PairedPolicies {
 public:
  // Winnow's, one or more. has_listeners: each has Winnow's listener.
  PairedPolicies(const std::vector<std::shared_ptr<const rocksdb::FilterPolicy>>& policies,
                 bool has_listeners);

  // Both go into the tree's options.
  std::shared_ptr<const rocksdb::FilterPolicy> policy() const { return policy_; }
  std::shared_ptr<rocksdb::EventListener> listener() const { return listener_; }

  // The files of the tree with the filters of this policy. Files that were not written here, as
  // such that were ingested, have the filters that they have for all.
  std::vector<FilterFile> WithFiltersOf(size_t policy, std::vector<FilterFile> files) const;

 private:
  std::shared_ptr<PairedFilters> filters_;
  std::shared_ptr<const rocksdb::FilterPolicy> policy_;
  std::shared_ptr<rocksdb::EventListener> listener_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_PAIRED_POLICIES_H_
