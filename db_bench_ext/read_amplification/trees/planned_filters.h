// The proof that files have the filters that Winnow's policy plans: a figure is worth nothing if
// the kind, the accuracy or the plan was another one.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_PLANNED_FILTERS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_PLANNED_FILTERS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/filter_policy.h>

#include <string>

#include "src/sst/sst_filters.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::bench {

// The options of a policy whose Name() is winnow.Filter, as it tells them itself. An error if it is
// of another version, and lacks one.
absl::StatusOr<PolicyOptions> PolicyOptionsOf(const rocksdb::FilterPolicy& policy);

// Ok if the filter of the file says that it was built by these options, and is what the pure
// functions of sizes and plans give for them, the place in the tree that it recorded and its number
// of keys: plan, rate, and, of a filter that is not partitioned and has the plan's rate, kind. With
// level_plan=auto and learned the rate may be higher, up to the uniform one, and without a recorded
// place any that the policy gives: it is by the other files, or by lookups. Otherwise a
// sentence with what was expected and what was found. `size_ratio` is
// max_bytes_for_level_multiplier of the family. Filters without keys, and of kinds that are not
// Winnow's, are not looked at.
absl::Status CheckPlanned(const PolicyOptions& policy, double size_ratio, const std::string& path,
                          const inspect::FilterSummary& filter);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_PLANNED_FILTERS_H_
