#include "src/policy_trial/filter_costs.h"

#include <algorithm>
#include <cmath>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/policy_trial/learned_trial.h"
#include "src/rocksdb/trees/context.h"
#include "src/sst/classify_block.h"

namespace winnow::inspect {
namespace {

// Maximum number of keys for which a filter of exactly this number is built, as rounding determines
// sizes and rates of small filters.
constexpr uint64_t kManyKeys = 4'121;

// Numbers of keys between which filters of more keys are interpolated. Bits per key change at most
// with the logarithm of the number of keys. Rounding affects these numbers like an average number.
constexpr uint64_t kBuiltOfMany[] = {kManyKeys, 16'411, 65'563};

FilterOptions OptionsOf(const PolicyOptions& policy, const TreeShape& shape, const TreePlace& place,
                        double bits_per_key) {
  return core::ForBuilding(
      plugin::FactsToOptions(WithBits(policy, bits_per_key), FactsOfPlace(shape, place)));
}

// Returns the false-positive rate. Filters of few keys have whole numbers of columns or of
// fingerprint bits, which are rounded up.
double RateOf(uint64_t n, const FilterOptions& building) {
  const core::FilterPlan plan = core::PlanFilter(n, building);
  switch (plan.kind) {
    case FilterKind::kEmpty:
      break;
    case FilterKind::kBloom:
      return core::BloomRate(n, plan.blocks, plan.probes);
    case FilterKind::kRibbon:
      if (n < core::kMinSmallKeys) {
        return std::ldexp(static_cast<double>(n),
                          -static_cast<int>(core::ListBits(n, plan.target_rate)));
      }
      return n < core::kMinBumpedKeys ? std::exp2(-static_cast<double>(plan.columns.most()))
                                      : core::ColumnsRate(plan.columns);
  }
  return 0;
}

}  // namespace

FilterCost CostOfWinnow(const PolicyOptions& policy, const TreeShape& shape, const TreePlace& place,
                        double bits_per_key, double keys) {
  const auto n = static_cast<uint64_t>(std::llround(keys));
  if (bits_per_key <= 0 || n == 0) return {};
  const FilterOptions options = OptionsOf(policy, shape, place, bits_per_key);
  return {static_cast<double>(core::EstimateBytes(n, options)), RateOf(n, options)};
}

const FilterCost& BuiltFilters::Built(const std::string& policy, const TreeShape& shape,
                                      const TreePlace& place, uint64_t keys) {
  const auto [known, is_new] =
      built_.try_emplace({policy, shape.table_format, shape.filters_for_memory,
                          static_cast<int>(shape.style), place.level, keys});
  if (is_new) {
    TreePlace alone;
    alone.level = place.level;
    const std::string block = TrialBlock(policy, shape, alone, keys);
    if (!block.empty()) {
      known->second = {static_cast<double>(block.size()),
                       ClassifyBlock(block, keys).expected_fpr.value_or(1)};
    }
  }
  return known->second;
}

FilterCost BuiltFilters::CostOf(const std::string& policy, const TreeShape& shape,
                                const TreePlace& place, double keys) {
  const auto n = static_cast<uint64_t>(std::llround(keys));
  if (n == 0) return {};
  if (n <= kManyKeys) return Built(policy, shape, place, n);
  const size_t at = keys > static_cast<double>(kBuiltOfMany[1]) ? 1 : 0;
  const auto low = static_cast<double>(kBuiltOfMany[at]);
  const auto high = static_cast<double>(kBuiltOfMany[at + 1]);
  const FilterCost few = Built(policy, shape, place, kBuiltOfMany[at]);
  const FilterCost many = Built(policy, shape, place, kBuiltOfMany[at + 1]);
  const double share = std::log(keys / low) / std::log(high / low);
  const double bytes_per_key = (1 - share) * few.bytes / low + share * many.bytes / high;
  const double of_rate = std::min(share, 1.0);
  return {keys * bytes_per_key, (1 - of_rate) * few.rate + of_rate * many.rate};
}

}  // namespace winnow::inspect
