// Bits of new filters for all files of a tree that exist, by the rule for new files (src/family),
// with nothing known of lookups and of today's filters: so that the same files always get the same
// filters.

#ifndef WINNOW_SRC_REFILTER_REFILTER_PLAN_H_
#define WINNOW_SRC_REFILTER_REFILTER_PLAN_H_

#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <map>
#include <memory>

#include "src/policy_trial/trial_filter.h"
#include "src/refilter/refilter_database.h"
#include "src/rocksdb/builders/decided_builder.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::inspect {

struct PlannedFilter {
  TreePlace place{};
  double reached = 0;  // share of all lookups of absent keys in its tree that reach the file
  plugin::DecidedFile decided{};
  double range_bits = 0;  // of Winnow's policy
};

// Returns the plan of each file, by number.
std::map<uint64_t, PlannedFilter> PlanFilters(const RefilterDatabase& database);

// Returns a builder of the file's filter by its family's policy; null if it gets none.
std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> NewBuilderFor(const RefilterFamily& family,
                                                                    const PlannedFilter& planned,
                                                                    bool is_partitioned);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_REFILTER_REFILTER_PLAN_H_
