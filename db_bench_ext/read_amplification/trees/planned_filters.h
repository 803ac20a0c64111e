// Verification that files have the filters that Winnow's policy plans: results would be worthless
// with another kind, accuracy or plan.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_PLANNED_FILTERS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_PLANNED_FILTERS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/filter_policy.h>

#include <string>

#include "src/sst/sst_filters.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::bench {

// Returns the options of a policy whose Name() is winnow.Filter, from the policy itself. Returns an
// error if the policy is of another version and lacks an option.
absl::StatusOr<PolicyOptions> PolicyOptionsOf(const rocksdb::FilterPolicy& policy);

// Returns OK if the filter records these options and is what the pure functions of sizes and plans
// give for them, the recorded place in the tree and the number of keys: plan, rate, and, for an
// unpartitioned filter with the plan's rate, kind. With level_plan=auto and learned, the rate may
// be higher, up to the uniform one; without a recorded place, any rate of the policy is valid,
// since it depends on other files or on lookups. Otherwise returns an error with the expected and
// the found value. `size_ratio` is the column family's max_bytes_for_level_multiplier. Filters
// without keys, and kinds that are not Winnow's, are not checked.
absl::Status CheckPlanned(const PolicyOptions& policy, double size_ratio, const std::string& path,
                          const inspect::FilterSummary& filter);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_PLANNED_FILTERS_H_
