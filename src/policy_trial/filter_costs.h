// Sizes and rates of filters, foretold without the keys of their files.

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
  double bytes = 0;  // 0: there is no filter
  double rate = 1;   // the share of absent keys that it lets through
};

// The filter that Winnow builds with these bits a key for a file of this place; 0 bits: none.
FilterCost CostOfWinnow(const PolicyOptions& policy, const TreeShape& shape, const TreePlace& place,
                        double bits_per_key, double keys);

// The number of keys for which such a filter has room in so many bytes.
double KeysOfWinnow(const PolicyOptions& policy, const TreeShape& shape, const TreePlace& place,
                    double bits_per_key, uint64_t bytes);

// The filters of any other policy: it builds some of made-up keys, each once, and filters of many
// keys are between them. Not for several threads.
class BuiltFilters {
 public:
  FilterCost CostOf(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                    double keys);
  double KeysWithin(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                    uint64_t bytes);

 private:
  const FilterCost& Built(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                          uint64_t keys);

  // By policy, table_format, filters_for_memory, compaction style, level and keys.
  std::map<std::tuple<std::string, int, bool, int, int, uint64_t>, FilterCost> built_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_FILTER_COSTS_H_
