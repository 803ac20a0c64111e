#include "src/preload/stock_functions.h"

#include "src/preload/next_definition.h"

namespace winnow::preload {

using rocksdb_abi::RibbonPolicy;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

const FilterPolicy* StockNewBloomFilterPolicy(double bits_per_key, bool use_block_based_builder) {
  static const auto next =
      Next<const FilterPolicy*(double, bool)>(&ROCKSDB_NAMESPACE::NewBloomFilterPolicy);
  return next(bits_per_key, use_block_based_builder);
}

RibbonPolicy* StockNewRibbonFilterPolicy(double bits_per_key, int bloom_before_level) {
  static const auto next =
      Next<RibbonPolicy*(double, int)>(&ROCKSDB_NAMESPACE::NewRibbonFilterPolicy);
  return next(bits_per_key, bloom_before_level);
}

Status StockCreateFromString(const ConfigOptions& config, const std::string& value,
                             std::shared_ptr<const FilterPolicy>* result) {
  static const auto next =
      Next<Status(const ConfigOptions&, const std::string&, std::shared_ptr<const FilterPolicy>*)>(
          &FilterPolicy::CreateFromString);
  return next(config, value, result);
}

}  // namespace winnow::preload
