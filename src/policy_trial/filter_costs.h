// Estimated sizes and rates of filters, without the keys of their files.

#ifndef WINNOW_SRC_POLICY_TRIAL_FILTER_COSTS_H_
#define WINNOW_SRC_POLICY_TRIAL_FILTER_COSTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "src/database/tree_shape.h"
#include "src/policy_trial/trial_filter.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {

struct FilterCost {
  double bytes = 0;  // 0 if there is no filter
  double rate = 1;   // false-positive rate
};

// Returns the filter that Winnow builds with these bits per key for a file at this place; 0 bits
// for none.
FilterCost CostOfWinnow(const PolicyOptions& policy, const TreeShape& shape, const TreePlace& place,
                        double bits_per_key, double keys);

// Filters of any other policy: builds some filters of generated keys, each once, and interpolates
// filters of many keys. Not thread-safe.
class BuiltFilters {
 public:
  FilterCost CostOf(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                    double keys);

 private:
  const FilterCost& Built(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                          uint64_t keys);

  // Keyed by policy, table_format, filters_for_memory, compaction style, level and keys.
  std::map<std::tuple<std::string, int, bool, int, int, uint64_t>, FilterCost> built_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_FILTER_COSTS_H_
